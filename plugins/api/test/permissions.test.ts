/**
 * The table of permissions, generated from the operations: each one asks for what is documented, exactly that
 * permission opens it, and without any part of it every caller is rejected. In every mode.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, it, mock } from 'node:test';
import { basePath } from '@srv/lib-api';
import { aclStatements, decide, presetAcls } from '@srv/lib-auth';
import { startSrv } from '@srv/test-servers';
import { describedOperations } from '../src/surface/index.js';
import { bodies, parameters, streams } from './support/example-requests.js';
import { pluginsFolder } from './support/operations.js';
import type { AuthService } from '@srv/auth/contract';
import type { AuthorizationRequest, Permission } from '@srv/kernel';
import type { AnyOperation, OperationContext } from '@srv/lib-api';
import type { RunningSrv, SrvOptions } from '@srv/test-servers';

const features = ['branch-protection', 'pulls', 'import', 'gc', 'actions', 'email', 'auth-principals'].filter(name =>
  existsSync(pluginsFolder + name),
);
const operations = (await describedOperations(pluginsFolder, ['api', 'auth', ...features])).filter(({ access }) => access !== 'public');
/** Operation → leaves, joined by ` + `: section 4 of the rules of authorization. */
const documented = JSON.parse(readFileSync(new URL('../../test/fixtures/permissions.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>;

interface Leaf {
  readonly action: string;
  readonly resource: string;
}

interface Server {
  readonly srv: RunningSrv;
  readonly auth: AuthService;
  readonly asked: Permission[];
  /** Credentials of a user without any rights but those of the tests. */
  readonly tester: string;
  close(): Promise<void>;
}

const basic = (id: string, secret: string): string => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const configOf = (mode: string) => ({
  'auth.ui_config.rbac': mode,
  'auth.authentication_api.external_principals_enabled': true,
  'auth.aws_iam.server_ids': 'here.example',
});

async function start(mode: string, { config = {}, plugins = [] }: SrvOptions = {}): Promise<Server> {
  const asked: Permission[] = [];
  const srv = await startSrv({
    plugins: [...features, ...plugins],
    config: { ...configOf(mode), ...config },
  });
  const identity = srv.kernel.services.get('identity');
  const authorize = identity.authorize.bind(identity);
  mock.method(identity, 'authorize', (request: AuthorizationRequest) => {
    asked.push(request.permission);
    return authorize(request);
  });
  const auth = srv.kernel.services.get('auth');
  await auth.createUser({ username: 'tester' });
  const { accessKeyId, secretAccessKey } = await auth.createCredential('tester');
  return { srv, auth, asked, tester: basic(accessKeyId, secretAccessKey), close: () => srv.stop() };
}

/** The service, and a server whose users are there. */
async function startExternal(): Promise<Server> {
  const directory = await startSrv({
    plugins: ['auth-service'],
    config: { 'auth.ui_config.rbac': 'internal', 'auth.service.enabled': true },
  });
  const config = { 'auth.api.endpoint': `${directory.url}/authorization/v1` };
  const server = await start('external', { config, plugins: ['auth-external'] });
  return {
    ...server,
    async close() {
      await server.close();
      await directory.stop();
    },
  };
}

async function send({ srv }: Server, operation: AnyOperation, authorization: string): Promise<{ status: number; message: string }> {
  const { path, query = {}, method, operationId, body: kind } = operation;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? 'x'));
  const needed = Object.entries(query).filter(([, field]) => field._flags.presence === 'required');
  const search = new URLSearchParams(needed.map(([name]): [string, string] => [name, parameters[name] ?? 'x']));
  const content = kind === 'stream' ? (streams[operationId] ?? 'bytes') : JSON.stringify(bodies[operationId]);
  const hasBody = content !== undefined && method !== 'GET' && method !== 'HEAD';
  const response = await fetch(`${srv.url}${basePath}${filled}?${search.toString()}`, {
    method,
    headers: { authorization, ...(hasBody ? { 'content-type': kind === 'stream' ? 'text/plain' : 'application/json' } : {}) },
    ...(hasBody ? { body: content } : {}),
  });
  const text = await response.text();
  try {
    return { status: response.status, message: String((JSON.parse(text) as { message?: unknown }).message) };
  } catch {
    return { status: response.status, message: '' };
  }
}

const asAdmin = ({ srv: { key } }: Server): string => basic(key.accessKeyId, key.secretAccessKey);

/** What an operation asks, by calling it as a user who may do everything. */
async function askedBy(server: Server, operation: AnyOperation): Promise<readonly Leaf[]> {
  server.asked.length = 0;
  await send(server, operation, asAdmin(server));
  const found = new Map(server.asked.flatMap(leavesOf).map(leaf => [textOf(leaf), leaf]));
  return [...found.values()];
}

function leavesOf(permission: Permission): Leaf[] {
  if ('all' in permission) return permission.all.flatMap(leavesOf);
  assert.equal('any' in permission, false, 'no operation leaves a choice');
  return 'action' in permission ? [permission] : [];
}

const textOf = ({ action, resource }: Leaf): string => `${action} on ${resource.replace(/^arn:lakefs:/, '')}`;

function isOffered({ srv }: Server, { supported }: AnyOperation): boolean {
  return supported === undefined || supported({ services: srv.kernel.services } as Pick<OperationContext, 'services'> as OperationContext);
}

/** Answered for every caller, or item by item. */
const open = ['getConfig', 'deleteObjects', 'uploadObjects'];
const denied = /^insufficient permissions/;

const hasExternal = ['auth-external', 'auth-service'].every(name => existsSync(pluginsFolder + name));
const modes: readonly (readonly [mode: string, open: () => Promise<Server>])[] = [
  ['internal', () => start('internal')],
  ...(hasExternal ? ([['external', startExternal]] as const) : []),
];
for (const [mode, open_] of modes) {
  describe(`permissions in mode ${mode}`, () => {
    let server: Server;
    before(async () => {
      server = await open_();
      await server.auth.createPolicy('exact', [nothing]);
      await server.auth.attachToUser('tester', 'exact');
    });
    after(() => server.close());

    it('listRepositories wants the action on anything at all', async () => {
      const list = operations.find(({ operationId }) => operationId === 'listRepositories') ?? assert.fail('no such operation');
      await grant(server, []);
      assert.deepEqual(await send(server, list, server.tester), { status: 401, message: 'insufficient permissions' });
      await grant(server, [{ action: 'fs:ListRepositories', resource: 'arn:lakefs:fs:::repository/some' }]);
      assert.equal((await send(server, list, server.tester)).status, 200);
    });

    it('permissionPreflight asks for a resource, or for anything at all', async () => {
      const ask = async (query: Readonly<Record<string, string>>) => {
        const url = `${server.srv.url}${basePath}/user/permission?${new URLSearchParams(query).toString()}`;
        const response = await fetch(url, { headers: { authorization: server.tester } });
        return { status: response.status, text: await response.text() };
      };
      const [action, resource] = ['fs:CreateBranch', 'arn:lakefs:fs:::repository/lakes/branch/dev-1'];
      const no = (on: string) => ({ status: 401, text: `{"message":"insufficient permissions: not allowed to fs:CreateBranch${on}"}\n` });
      await grant(server, []);
      assert.deepEqual([await ask({ action }), await ask({ action, resource })], [no(''), no(` on ${resource}`)]);
      await grant(server, [{ action, resource: 'arn:lakefs:fs:::repository/lakes/branch/dev-*' }]);
      const yes = { status: 204, text: '' };
      assert.deepEqual([await ask({ action }), await ask({ action, resource })], [yes, yes]);
      const main = 'arn:lakefs:fs:::repository/lakes/branch/main';
      assert.deepEqual(await ask({ action, resource: main }), no(` on ${main}`));
      assert.equal((await ask({ action: 'everything' })).status, 400);
    });

    for (const operation of operations) {
      const { operationId } = operation;
      it(operationId, async () => {
        if (!isOffered(server, operation)) {
          assert.equal((await send(server, operation, server.tester)).status, 501);
          return;
        }
        const leaves = await askedBy(server, operation);
        assert.equal(leaves.map(textOf).join(' + '), documented[operationId]);
        if (leaves.length === 0 || open.includes(operationId)) return;
        await grant(server, leaves);
        const admitted = await send(server, operation, server.tester);
        assert.notEqual(admitted.status, 401, admitted.message);
        for (const missing of leaves) {
          await grant(
            server,
            leaves.filter(leaf => leaf !== missing),
          );
          const { status, message } = await send(server, operation, server.tester);
          assert.equal(status, 401, `without ${textOf(missing)}: ${message}`);
          if (operation.method !== 'HEAD') assert.equal(message, refusalWithout(missing, operationId));
        }
      });
    }
  });
}

/** Asked on resources that were looked up, which the caller may not know. */
const lookedUp = ['rerunAction'];

/** A refusal names the resource, also where the action is asked for on several. */
function refusalWithout({ action, resource }: Leaf, operationId: string): string {
  return `insufficient permissions: not allowed to ${action}${lookedUp.includes(operationId) ? '' : ` on ${resource}`}`;
}

const nothing = { effect: 'allow', action: ['fs:Nothing'], resource: 'arn:lakefs:fs:::nothing' } as const;

async function grant({ auth }: Server, leaves: readonly Leaf[]): Promise<void> {
  const statements = leaves.map(({ action, resource }) => ({ effect: 'allow' as const, action: [action], resource }));
  await auth.updatePolicy('exact', statements.length > 0 ? statements : [nothing]);
}

describe('permissions in mode simplified', () => {
  let server: Server;
  const members = new Map<string, string>();
  before(async () => {
    server = await start('simplified');
    for (const group of Object.keys(presetAcls)) {
      await server.auth.createUser({ username: `one of ${group}` });
      await server.auth.addMember(group, `one of ${group}`);
      const { accessKeyId, secretAccessKey } = await server.auth.createCredential(`one of ${group}`);
      members.set(group, basic(accessKeyId, secretAccessKey));
    }
  });
  after(() => server.close());

  for (const operation of operations) {
    const { operationId, method } = operation;
    it(operationId, async () => {
      if (!isOffered(server, operation)) return;
      const leaves = await askedBy(server, operation);
      if (leaves.length === 0 || open.includes(operationId)) return;
      for (const [group, authorization] of members) {
        const policy = { id: group, createdAt: new Date(), statement: aclStatements[presetAcls[group] ?? 'Read'] };
        const { allowed } = decide({ all: leaves }, [policy], { username: `one of ${group}`, facts: {} });
        const { status, message } = await send(server, operation, authorization);
        assert.equal(status !== 401, allowed, `${group}: ${status} ${message}`);
        if (!allowed && method !== 'HEAD') assert.match(message, denied);
      }
      assert.equal((await send(server, operation, server.tester)).status, 401, 'a user in no group');
    });
  }
});

describe('permissions in mode none', () => {
  let server: Server;
  before(async () => {
    const config = { 'auth.authentication_api.external_principals_enabled': false };
    server = await start('none', { config });
  });
  after(() => server.close());

  it('are everybody’s', async () => {
    for (const operation of operations) {
      // Deletes no user that is needed: the names of the examples do not exist.
      const { status, message } = await send(server, operation, server.tester);
      assert.notEqual(status, 401, `${operation.operationId}: ${message}`);
    }
  });
});
