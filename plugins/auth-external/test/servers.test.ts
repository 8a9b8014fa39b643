/** A server whose users are another server's: both as programs would run them, talking HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mintServiceToken } from '@srv/lib-auth/authorization';
import { ScriptedHttp, passOn, startSrv } from '@srv/test-servers';
import type { AccountService, AuthService } from '@srv/auth/contract';
import type { RunningSrv } from '@srv/test-servers';

/** What went over the wire. */
interface Seen {
  readonly line: string;
  readonly requestId: string;
  readonly authorization: string;
}

/** What answers show, of all kinds. */
interface Shown {
  readonly user: { readonly id: string };
  readonly results: readonly { readonly id: string }[];
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
  readonly message: string;
  readonly token: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly statement: readonly object[];
  readonly state: string;
  readonly login_config: { readonly RBAC: string };
  readonly invite_user: boolean;
}

let directory: RunningSrv;
let wire: ScriptedHttp;
let srv: RunningSrv;
const seen: Seen[] = [];

before(async () => {
  directory = await startSrv({ plugins: ['auth-service'], config: { 'auth.ui_config.rbac': 'internal', 'auth.service.enabled': true } });
  wire = await ScriptedHttp.open((request, response) => {
    const { method, url, headers } = request;
    seen.push({ line: `${method} ${url}`, requestId: String(headers['x-request-id']), authorization: String(headers.authorization) });
    passOn(directory.url, request, response);
  });
  srv = await startSrv({
    plugins: ['auth-external'],
    config: { 'auth.ui_config.rbac': 'external', 'auth.api.endpoint': `${wire.url}/authorization/v1/` },
  });
});
after(async () => {
  await srv.stop();
  await wire.close();
  await directory.stop();
});

const basic = ({ accessKeyId, secretAccessKey }: RunningSrv['key']): string =>
  `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`;

async function call(method: string, path: string, { body, as = basic(srv.key) }: { body?: object; as?: string } = {}) {
  const response = await fetch(`${srv.url}/api/v1${path}`, {
    method,
    headers: { authorization: as, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: (text === '' ? {} : JSON.parse(text)) as Shown };
}

const statuses = async (...calls: readonly (readonly [method: string, path: string, body?: object])[]): Promise<number[]> => {
  const found: number[] = [];
  for (const [method, path, body] of calls) found.push((await call(method, path, body ? { body } : {})).status);
  return found;
};

describe('a server with external users', () => {
  it('knows their access keys, tokens and permissions', async () => {
    assert.equal((await call('GET', '/user')).body.user.id, 'admin');
    const made = await statuses(
      ['POST', '/auth/users', { id: 'ann' }],
      ['POST', '/auth/users', { id: 'ann' }],
      ['POST', '/auth/groups', { id: 'readers', description: 'who read' }],
      ['POST', '/auth/policies', { id: 'read', statement: [{ effect: 'allow', action: ['fs:List*', 'fs:Read*'], resource: '*' }] }],
      ['PUT', '/auth/groups/readers/policies/read'],
      ['PUT', '/auth/groups/readers/members/ann'],
      ['PUT', '/auth/groups/readers/members/ann'],
      ['PUT', '/auth/groups/readers/members/nobody'],
    );
    assert.deepEqual(made, [201, 409, 201, 201, 201, 201, 409, 404]);
    const { body: key } = await call('POST', '/auth/users/ann/credentials');
    const ann = basic({ accessKeyId: key.access_key_id, secretAccessKey: key.secret_access_key });
    assert.equal((await call('GET', '/repositories', { as: ann })).status, 200);
    const refused = await call('POST', '/repositories', { as: ann, body: { name: 'repo', storage_namespace: 'local://repo' } });
    assert.deepEqual(
      [refused.status, refused.body.message],
      [401, 'insufficient permissions: not allowed to fs:CreateRepository on arn:lakefs:fs:::repository/repo'],
    );
    const login = await call('POST', '/auth/login', { body: key });
    const token = `Bearer ${login.body.token}`;
    assert.equal((await call('GET', '/user', { as: token })).body.user.id, 'ann');
    // What this server changes it knows at once.
    assert.equal((await call('DELETE', '/auth/groups/readers/members/ann')).status, 204);
    assert.equal((await call('GET', '/repositories', { as: ann })).status, 401);
    assert.equal((await call('DELETE', `/auth/users/ann/credentials/${key.access_key_id}`)).status, 204);
    assert.equal((await call('GET', '/user', { as: ann })).status, 401);
    assert.equal((await call('GET', '/user', { as: token })).status, 401, 'the session ends with its key');
    assert.deepEqual(
      await statuses(['DELETE', '/auth/users/ann'], ['GET', '/auth/users/ann'], ['DELETE', '/auth/groups/readers']),
      [204, 404, 204],
    );
  });

  it('lists what the service lists, page by page', async () => {
    for (let n = 0; n < 7; n++) await call('POST', '/auth/users', { body: { id: `page-${n}` } });
    const found: string[] = [];
    for (let offset = '', more = true; more; ) {
      const { body } = await call('GET', `/auth/users?prefix=page-&amount=3&after=${offset}`);
      found.push(...body.results.map(({ id }) => id));
      offset = body.pagination.next_offset;
      more = body.pagination.has_more;
    }
    assert.deepEqual(found, ['page-0', 'page-1', 'page-2', 'page-3', 'page-4', 'page-5', 'page-6']);
    assert.deepEqual(
      (await call('GET', '/auth/users/admin/groups')).body.results.map(({ id }) => id),
      ['Admins'],
    );
  });

  it('shows policies as they were written, and refuses bad ones with the words of the service', async () => {
    const statement = [
      {
        effect: 'deny',
        action: ['fs:*'],
        resource: '["arn:lakefs:fs:::repository/a","*"]',
        condition: { IpAddress: { SourceIp: ['10.0.0.0/8'] } },
      },
    ];
    await call('POST', '/auth/policies', { body: { id: 'odd', statement } });
    assert.deepEqual((await call('GET', '/auth/policies/odd')).body.statement, statement);
    const bad = await call('PUT', '/auth/policies/odd', {
      body: { id: 'odd', statement: [{ effect: 'allow', action: ['nonsense'], resource: '*' }] },
    });
    assert.equal(bad.status, 400);
    assert.match(bad.body.message, /nonsense: must be <service>:<name>/);
    assert.equal((await call('PUT', '/auth/policies/none', { body: { id: 'none', statement } })).status, 404);
  });

  it('is set up already, and has no administrators or permissions of groups of its own', async () => {
    assert.equal((await call('GET', '/setup_lakefs')).body.state, 'initialized');
    assert.equal((await call('GET', '/setup_lakefs')).body.login_config.RBAC, 'external');
    const setup = await call('POST', '/setup_lakefs', { body: { username: 'root' } });
    assert.deepEqual([setup.status, setup.body.access_key_id], [200, '']);
    assert.equal((await call('POST', '/auth/groups/Admins/acl', { body: { permission: 'Read' } })).status, 501);
    assert.equal((await call('GET', '/auth/capabilities')).body.invite_user, false);
  });

  it('forwards the id of the request it works for, with a token that cannot be used to log in', async () => {
    seen.length = 0;
    const { headers } = await call('GET', '/auth/users/admin');
    const [lookup] = seen.filter(({ line }) => line === 'GET /authorization/v1/auth/users/admin');
    assert.equal(lookup?.requestId, headers.get('x-request-id'));
    const token = lookup?.authorization ?? '';
    for (const url of [srv.url, directory.url])
      assert.equal((await fetch(`${url}/api/v1/user`, { headers: { authorization: token } })).status, 401);
  });

  it('asks once for many requests', async () => {
    await call('GET', '/repositories');
    seen.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => call('GET', '/repositories')));
    assert.deepEqual(seen, []);
  });
});

describe('accounts of external users', () => {
  const services = () => ({
    here: srv.kernel.services.get('accounts') as AccountService,
    auth: srv.kernel.services.get('auth') as AuthService,
  });

  it('carry passwords, names elsewhere and principals', async () => {
    const { here, auth } = services();
    const name = 'dora/x@example.com';
    await assert.rejects(here.createAccount({ username: name }), { code: 'invalid' });
    await here.createAccount({
      username: 'dora',
      email: 'dora@example.com',
      externalId: 'https://id/dora',
      friendlyName: 'Dora',
      source: 'oidc',
      encryptedPassword: '$2b$x',
    });
    const found = await here.findByExternalId('https://id/dora');
    assert.deepEqual([found?.username, found?.source, found?.friendlyName, found?.encryptedPassword], ['dora', 'oidc', 'Dora', '$2b$x']);
    assert.equal((await here.findByEmail('DORA@example.com'))?.username, 'dora');
    assert.equal(await here.findByEmail('nobody@example.com'), undefined);
    await here.setFriendlyName('dora', 'Dorothea');
    assert.equal((await auth.getUser('dora')).friendlyName, 'Dorothea');
    await here.setPassword('dora', '$2b$y');
    assert.equal((await here.findAccount('dora'))?.encryptedPassword, '$2b$y');
    const arn = 'arn:aws:sts::1:assumed-role/a/b c&d=e';
    await here.createPrincipal('dora', arn);
    await assert.rejects(here.createPrincipal('admin', arn), { code: 'not_unique' });
    assert.deepEqual(await here.findPrincipal(arn), { id: arn, username: 'dora' });
    assert.deepEqual((await here.listPrincipals('dora')).results, [{ id: arn, username: 'dora' }]);
    await here.deletePrincipal('dora', arn);
    assert.equal(await here.findPrincipal(arn), undefined);
    await assert.rejects(here.deletePrincipal('dora', arn), { code: 'not_found' });
  });

  it('have names that new users of this server can have', async () => {
    const { here, auth } = services();
    for (const username of ['a%b', '..', 'a\u0001']) {
      await assert.rejects(here.createAccount({ username, externalId: `e-${username}` }), { code: 'invalid' });
      await assert.rejects(auth.createUser({ username }), { code: 'invalid' });
      await assert.rejects(auth.createGroup(username), { code: 'invalid' });
      await assert.rejects(auth.createPolicy(username, []), { code: 'invalid' });
      const response = await fetch(`${directory.url}/authorization/v1/auth/users`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${mintServiceToken('another secret for tests')}` },
        body: JSON.stringify({ username, external_id: `e-${username}` }),
      });
      assert.equal(response.status, 400);
    }
  });

  it('have tokens that work once for all servers', async () => {
    const { here } = services();
    const later = new Date(Date.now() + 60_000);
    assert.deepEqual([await here.claimToken('a-token', later), await here.claimToken('a-token', later)], [true, false]);
    const there = directory.kernel.services.get('accounts') as AccountService;
    assert.equal(await there.claimToken('a-token', later), false);
  });
});

describe('the service', () => {
  const ask = async (path: string, token: string | undefined, method = 'GET') =>
    (
      await fetch(`${directory.url}/authorization/v1${path}`, {
        method,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      })
    ).status;

  it('admits its clients only, whatever rights others have here', async () => {
    const { token } = await (directory.kernel.services.get('auth') as AuthService).issueToken('admin');
    for (const given of [undefined, '', token, 'x.y.z', `${token}x`])
      assert.equal(await ask(`/auth/credentials/${srv.key.accessKeyId}`, given), 401);
    const asUser = await fetch(`${directory.url}/authorization/v1/auth/users`, { headers: { authorization: basic(srv.key) } });
    assert.equal(asUser.status, 401);
    assert.equal(await ask('/healthcheck', undefined), 204);
  });

  it('keeps permissions of groups for clients that manage them so', async () => {
    const { secretKey } = directory.kernel.services.get('identitySettings');
    const headers = { authorization: `Bearer ${mintServiceToken(secretKey)}`, 'content-type': 'application/json' };
    const base = `${directory.url}/authorization/v1/auth`;
    const policy = { name: 'ACL(_-_)team', statement: [{ effect: 'allow', action: ['fs:List*'], resource: '*' }], acl: 'Read' };
    const put = async (method: string, path: string, body: object) =>
      (await fetch(`${base}${path}`, { method, headers, body: JSON.stringify(body) })).status;
    const path = `/policies/${encodeURIComponent(policy.name)}`;
    assert.deepEqual(
      [await put('PUT', path, policy), await put('POST', '/policies', policy), await put('PUT', path, { ...policy, acl: 'Write' })],
      [404, 201, 200],
    );
    const stored = (await (await fetch(`${base}${path}`, { headers })).json()) as { acl: string };
    assert.equal(stored.acl, 'Write');
  });

  it('is off unless asked for, and needs policies to offer', async t => {
    const plain = await startSrv({ plugins: ['auth-service'] });
    t.after(() => plain.stop());
    assert.equal((await fetch(`${plain.url}/authorization/v1/healthcheck`)).status, 404);
    await assert.rejects(
      startSrv({ plugins: ['auth-service'], config: { 'auth.service.enabled': true } }),
      /auth\.service\.enabled: a server with auth\.ui_config\.rbac none/,
    );
  });

  it('takes a token of its own in place of the shared key', async t => {
    const token = 'a-token-that-is-long-enough';
    const other = await startSrv({
      plugins: ['auth-service'],
      config: {
        'auth.ui_config.rbac': 'internal',
        'auth.service.enabled': true,
        'auth.service.token': token,
        'auth.encrypt.secret_key': 'quite another',
      },
    });
    t.after(() => other.stop());
    const client = await startSrv({
      plugins: ['auth-external'],
      config: { 'auth.ui_config.rbac': 'external', 'auth.api.endpoint': `${other.url}/authorization/v1`, 'auth.api.token': token },
    });
    t.after(() => client.stop());
    assert.equal((await fetch(`${client.url}/api/v1/auth/users`, { headers: { authorization: basic(srv.key) } })).status, 200);
    const wrong = await startSrv({
      plugins: ['auth-external'],
      config: { 'auth.ui_config.rbac': 'external', 'auth.api.endpoint': `${other.url}/authorization/v1` },
    });
    t.after(() => wrong.stop());
    assert.equal((await fetch(`${wrong.url}/api/v1/auth/users`, { headers: { authorization: basic(srv.key) } })).status, 500);
  });
});
