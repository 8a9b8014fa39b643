/** Examines what needs the services of a server: users, repositories and their storage. Nothing is served meanwhile. */
import { messageOf, openConfigured } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { examineNamespace } from './block-store.js';
import { Findings } from './finding.js';
import type {} from '@srv/auth/contract';
import type {} from '@srv/engine/contract';
import type { Kernel } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Finding } from './finding.js';

/** Repositories whose storage is tried. */
const most = 3;

/** @param named namespaces to try in addition to those of repositories. */
export async function examineServices(kernel: Kernel, named: readonly string[]): Promise<readonly Finding[]> {
  const starting = new Findings('services');
  try {
    await kernel.start({ serve: false });
  } catch (error) {
    starting.fail(messageOf(error), 'Fix the problem, or disable the plugin in plugins.disabled.');
    return starting.list;
  }
  const identity = await examineIdentity(kernel);
  const block = await examineBlockStore(kernel.services.get('block'), [...named, ...(await namespacesOf(kernel))]);
  return [...identity.list, ...block];
}

async function examineIdentity({ services }: Kernel): Promise<Findings> {
  const findings = new Findings('identity');
  const identity = services.find('identity');
  if (!identity) {
    findings.fail('no plugin knows users', 'Enable the plugin auth, or another one that offers auth.ui_config.rbac.');
    return findings;
  }
  const auth = services.find('auth');
  if (!auth) {
    findings.ok(`mode ${identity.rbac}`);
    return findings;
  }
  try {
    const { results } = await auth.listUsers({ amount: 100 });
    if (results.length === 0) findings.warning('there are no users', 'Run "srv superuser --user-name NAME".');
    for (const { username } of results) {
      const [credential] = (await auth.listCredentials(username, { amount: 1 })).results;
      if (!credential) continue;
      // Asks for the stored secret, which the right key alone can read.
      await identity.authenticate({ kind: 'signature', accessKeyId: credential.accessKeyId, check: () => true });
      break;
    }
    if (results.length > 0)
      findings.ok(`mode ${identity.rbac}, users: ${results.length}${results.length === 100 ? ' or more' : ''}; their secrets can be read`);
  } catch (error) {
    findings.fail(
      `stored secrets of users cannot be read: ${messageOf(error)}`,
      'auth.encrypt.secret_key must be the one they were stored with: restore it, or make new credentials with "srv superuser".',
    );
  }
  return findings;
}

/** Without services: of an installation that is not set up, or whose database is in use. */
export async function examineBlockStoreAlone(kernel: Kernel, named: readonly string[]): Promise<readonly Finding[]> {
  const findings = new Findings('block store');
  let block: BlockStore | undefined;
  try {
    const { config, hooks } = kernel;
    block = await openConfigured('blockstore.type', hooks.openBlockStore, { config, findDisabled: async () => undefined });
    return await examineBlockStore(block, named);
  } catch (error) {
    findings.fail(messageOf(error), 'Correct section blockstore of the configuration.');
    return findings.list;
  } finally {
    await block?.close();
  }
}

/** Storage of repositories that can be written. */
async function namespacesOf({ services }: Kernel): Promise<readonly string[]> {
  const engine = services.find('engine');
  const repositories = (await engine?.listRepositories({ amount: 1000 }))?.results.filter(({ readOnly }) => !readOnly) ?? [];
  return repositories.slice(0, most).map(namespaceOf);
}

async function examineBlockStore(block: BlockStore, places: readonly string[]): Promise<readonly Finding[]> {
  const findings = new Findings('block store');
  if (!block.info.productionSafe)
    findings.warning(`${block.type} loses its data when the server stops`, 'For trials only: choose another blockstore.type.');
  const namespaces = new Set(places);
  if (namespaces.size === 0)
    findings.skipped(
      `${block.type}: it was opened; no storage namespace is known that could be tried`,
      `Name a place with --namespace, such as ${block.info.namespaceExample}.`,
    );
  const examined: Finding[] = [];
  for (const namespace of namespaces) examined.push(...(await examineNamespace(block, namespace)).list);
  return [...findings.list, ...examined];
}
