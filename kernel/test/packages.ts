/** Plugin packages and inline plugins for tests. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kernel, definePlugin } from '../src/index.js';
import type { ConfigEntry, InlinePlugin, KernelOptions, Plugin } from '../src/index.js';

interface PackageFacts {
  readonly requires?: readonly string[];
  /** Source of the server part; absent: the package has none. */
  readonly server?: string;
  readonly cli?: string;
  readonly config?: string;
  readonly bootstrap?: boolean;
  /** Replaces the whole `srv` member. */
  readonly srv?: unknown;
}

const emptyPlugin = (name: string): string => `export default { name: '${name}', apply() {} };`;

/** Writes a plugin package into `parent/<name>`. */
export function writePackage(parent: string, name: string, facts: PackageFacts = {}): string {
  const { requires, server = emptyPlugin(name), cli, config, bootstrap, srv } = facts;
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  const parts = { server, cli, config };
  const present = Object.entries(parts).filter(([, source]) => source !== undefined && source !== '');
  for (const [part, source] of present) writeFileSync(join(folder, `${part}.mjs`), source ?? '');
  const member = { api: 1, name, requires, bootstrap, ...Object.fromEntries(present.map(([part]) => [part, `./${part}.mjs`])) };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: `x-${name}`, version: '1.2.3', keywords: ['srv-plugin'], srv: srv ?? member }),
  );
  return folder;
}

export function inline(name: string, apply: Plugin['apply'] = () => {}, requires: readonly string[] = []): InlinePlugin {
  return { plugin: definePlugin({ name, apply }), requires };
}

/** A configuration every test kernel accepts. */
export const storeEntries: readonly ConfigEntry[] = [
  { key: 'database.type', raw: 'local', source: 'test' },
  { key: 'blockstore.type', raw: 'mem', source: 'test' },
];

/** Opens stores that do nothing; notes their closing in `events`. */
export function storesPlugin(events: string[] = []): InlinePlugin {
  return inline('stores', ({ hooks }) => {
    const close = (name: string) => async (): Promise<void> => void events.push(`close ${name}`);
    hooks.openKvStore.for('local').tapPromise('stores', async () => ({ ...unused, type: 'local', isShared: false, close: close('kv') }));
    hooks.openBlockStore.for('mem').tapPromise('stores', async () => ({ ...unused, type: 'mem', close: close('block') }));
  });
}

function refuse(): never {
  throw new Error('not part of this test');
}

const info = {
  type: 'mem',
  namespacePattern: '',
  namespaceExample: '',
  defaultNamespacePrefix: '',
  preSign: false,
  preSignUi: false,
  preSignMultipart: false,
  importSupported: false,
  importPattern: '',
  productionSafe: false,
};
const unused = {
  info,
  get: refuse,
  set: refuse,
  setIf: refuse,
  delete: refuse,
  scan: refuse,
  resolve: refuse,
  put: refuse,
  exists: refuse,
  properties: refuse,
  remove: refuse,
  removeAll: refuse,
  copy: refuse,
  createMultipart: refuse,
  uploadPart: refuse,
  copyPart: refuse,
  listParts: refuse,
  completeMultipart: refuse,
  abortMultipart: refuse,
  preSign: refuse,
  preSignPart: refuse,
  walk: refuse,
};

export function testKernel(plugins: readonly InlinePlugin[], options: Partial<KernelOptions> = {}): Kernel {
  return new Kernel({ part: 'server', inline: plugins, switches: {}, overrides: storeEntries, env: {}, ...options });
}
