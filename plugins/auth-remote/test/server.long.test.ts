/** Whole servers whose users come from elsewhere. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { SrvError } from '@srv/kernel';
import { scratchFolder } from '@srv/kernel/testing';
import { ScriptedHttp, freePort, loopbackCertificate, startSrv } from '@srv/test-servers';
import { startLdap } from '@srv/test-servers/ldap';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { RunningSrv } from '@srv/test-servers';

interface Asked {
  readonly username: string;
  readonly password: string;
}

async function startService(t: TestContext, answer: (asked: Asked, response: ServerResponse) => void) {
  const asked: { body: Asked; headers: IncomingHttpHeaders }[] = [];
  const server = await ScriptedHttp.open((request, response) => {
    void text(request).then(body => {
      const parsed = JSON.parse(body) as Asked;
      asked.push({ body: parsed, headers: request.headers });
      answer(parsed, response);
    });
  });
  t.after(() => server.close());
  return { url: `${server.url}/ldap/login`, asked };
}

async function start(t: TestContext, endpoint: string, config: Record<string, unknown> = {}): Promise<RunningSrv> {
  const srv = await startSrv({
    plugins: ['auth-remote'],
    config: {
      'auth.ui_config.rbac': 'internal',
      'auth.remote_authenticator.enabled': true,
      'auth.remote_authenticator.endpoint': endpoint,
      ...config,
    },
  });
  t.after(() => srv.stop());
  return srv;
}

async function logIn(srv: RunningSrv, name: string, password: string): Promise<{ status: number; token: string }> {
  const response = await fetch(`${srv.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ access_key_id: name, secret_access_key: password }),
  });
  const { token = '' } = (await response.json()) as { token?: string };
  return { status: response.status, token };
}

const basic = (name: string, secret: string): string => `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
const statusOf = async (srv: RunningSrv, path: string, authorization: string): Promise<number> =>
  (await fetch(`${srv.url}/api/v1${path}`, { headers: { authorization } })).status;
const groupsOf = async (srv: RunningSrv, name: string): Promise<string[]> =>
  (await srv.kernel.services.get('auth').listUserGroups(name)).results.map(({ id }) => id);

const accepting = ({ username, password }: Asked, response: ServerResponse): void => {
  if (password === 'right') response.end(JSON.stringify(username === 'plain' ? {} : { external_user_identifier: `${username}@corp` }));
  else response.writeHead(401).end('{}');
};

const gone = new SrvError('unavailable', 'the database is gone');

describe('a remote authenticator', () => {
  it('makes a user of its default group at the first login', async t => {
    const service = await startService(t, accepting);
    const srv = await start(t, service.url);
    const { status, token } = await logIn(srv, 'ann', 'right');
    assert.equal(status, 200);
    assert.equal(await statusOf(srv, '/repositories', `Bearer ${token}`), 200);
    const user = await srv.kernel.services.get('accounts').findAccount('ann@corp');
    assert.deepEqual([user?.source, user?.friendlyName, await groupsOf(srv, 'ann@corp')], ['remote_authenticator', 'ann', ['Viewers']]);
    assert.equal((await logIn(srv, 'plain', 'right')).status, 200);
    assert.equal((await srv.kernel.services.get('auth').getUser('plain')).username, 'plain');
    assert.equal((await logIn(srv, 'ann', 'wrong')).status, 401);
    assert.match(String(service.asked[0]?.headers['x-request-id']), /^[0-9a-f-]{36}$/);
  });

  it('is not asked about users with access keys, and once for many requests', async t => {
    const service = await startService(t, accepting);
    const srv = await start(t, service.url);
    assert.equal(await statusOf(srv, '/repositories', basic(srv.key.accessKeyId, srv.key.secretAccessKey)), 200);
    assert.equal(await statusOf(srv, '/repositories', basic(srv.key.accessKeyId, 'wrong')), 401);
    assert.equal(service.asked.length, 0);
    for (let n = 0; n < 5; n++) assert.equal(await statusOf(srv, '/repositories', basic('ann', 'right')), 200);
    await Promise.all(Array.from({ length: 10 }, () => statusOf(srv, '/repositories', basic('bob', 'right'))));
    assert.deepEqual(
      service.asked.map(({ body }) => body.username),
      ['ann', 'bob'],
    );
  });

  it('refuses with 401, and is out of order with something else', async t => {
    const answers: Record<string, (response: ServerResponse) => void> = {
      denied: response => response.writeHead(403).end(),
      gone: response => response.writeHead(404).end('not here'),
      broken: response => response.writeHead(500).end(),
      busy: response => response.writeHead(429).end(),
      html: response => response.end('<html>'),
      list: response => response.end('[]'),
      number: response => response.end('{"external_user_identifier": 7}'),
      empty: response => response.end(),
      moved: response => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      cut: response => void response.writeHead(200, { 'content-length': '50' }).write('{', () => response.destroy()),
    };
    const service = await startService(t, ({ username }, response) => answers[username]?.(response));
    const srv = await start(t, service.url);
    const found: Record<string, number> = {};
    for (const name of Object.keys(answers)) found[name] = (await logIn(srv, name, 'right')).status;
    assert.deepEqual(found, {
      denied: 401,
      gone: 401,
      broken: 503,
      busy: 503,
      html: 503,
      list: 503,
      number: 503,
      empty: 503,
      moved: 503,
      cut: 503,
    });
    const impatient = await start(t, service.url, { 'auth.remote_authenticator.request_timeout': '300ms' });
    assert.equal((await logIn(impatient, 'silent', 'right')).status, 503);
    const closed = await start(t, `http://127.0.0.1:${await freePort()}`);
    assert.equal((await logIn(closed, 'ann', 'right')).status, 503);
    assert.equal(
      (await logIn(closed, closed.key.accessKeyId, closed.key.secretAccessKey)).status,
      200,
      'access keys do not need the remote server',
    );
  });

  it('leaves no user without its group', async t => {
    const service = await startService(t, accepting);
    const srv = await start(t, service.url, { 'auth.remote_authenticator.default_user_group': 'Nobodies' });
    assert.equal((await logIn(srv, 'plain', 'right')).status, 500);
    await assert.rejects(srv.kernel.services.get('auth').getUser('plain'), { code: 'not_found' });
    await srv.kernel.services.get('auth').createGroup('Nobodies');
    assert.equal((await logIn(srv, 'plain', 'right')).status, 200);
    assert.deepEqual(await groupsOf(srv, 'plain'), ['Nobodies']);
  });

  it('has users join their group at the next login when the first one failed halfway', async t => {
    const service = await startService(t, accepting);
    const srv = await start(t, service.url);
    const kv = srv.kernel.services.get('kv');
    const { setIf } = kv;
    const member = t.mock.method(kv, 'setIf', (...args: Parameters<typeof kv.setIf>) =>
      args[1].toString() === 'gUsers/Viewers/users/plain' ? Promise.reject(gone) : setIf.apply(kv, args),
    );
    const removal = t.mock.method(kv, 'delete', () => Promise.reject(gone));
    assert.equal((await logIn(srv, 'plain', 'right')).status, 503);
    for (const { mock } of [member, removal]) mock.restore();
    assert.equal((await logIn(srv, 'plain', 'right')).status, 200);
    assert.deepEqual(await groupsOf(srv, 'plain'), ['Viewers']);
  });

  it('makes one user of many first logins at once', async t => {
    const service = await startService(t, accepting);
    const srv = await start(t, service.url);
    const all = await Promise.all(Array.from({ length: 8 }, () => logIn(srv, 'plain', 'right')));
    assert.deepEqual([...new Set(all.map(({ status }) => status))], [200]);
    assert.deepEqual(await groupsOf(srv, 'plain'), ['Viewers']);
  });

  it('is ignored when it names a user that cannot exist here', async t => {
    const service = await startService(t, ({ username }, response) => response.end(JSON.stringify({ external_user_identifier: username })));
    const srv = await start(t, service.url);
    for (const name of ['a/b', '50%', '../admin']) assert.equal((await logIn(srv, name, 'right')).status, 401, name);
  });

  it('works where everybody may do everything, and login pages ask for names', async t => {
    const service = await startService(t, accepting);
    const srv = await start(t, service.url, { 'auth.ui_config.rbac': 'none' });
    assert.equal((await logIn(srv, 'plain', 'right')).status, 200);
    const { login_config } = (await (await fetch(`${srv.url}/api/v1/setup_lakefs`)).json()) as { login_config: Record<string, string> };
    assert.deepEqual([login_config['username_ui_placeholder'], login_config['password_ui_placeholder']], ['Username', 'Password']);
  });

  it('may be an LDAP directory', async t => {
    const ldap = await startLdap({ people: [{ uid: 'Ann', password: 'right' }] });
    t.after(() => ldap.close());
    const file = join(scratchFolder(), 'ca.pem');
    await writeFile(file, loopbackCertificate.cert);
    const srv = await start(t, ldap.url, {
      'auth.remote_authenticator.ldap.ca_file': file,
    });
    assert.deepEqual([(await logIn(srv, 'ann', 'right')).status, (await logIn(srv, 'ann', 'wrong')).status], [200, 401]);
    assert.deepEqual(await groupsOf(srv, 'Ann'), ['Viewers']);
  });

  it('needs an endpoint it can ask', async () => {
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ 'auth.remote_authenticator.endpoint': '' }, /auth\.remote_authenticator\.endpoint: missing required key/],
      [{ 'auth.remote_authenticator.endpoint': 'ftp://x' }, /is not an address that begins with/],
      [{ 'auth.remote_authenticator.endpoint': 'ldap://host' }, /names no place/],
      [{ 'auth.remote_authenticator.endpoint': 'ldap://host/dc=a', 'auth.remote_authenticator.ldap.bind_dn': 'cn=x' }, /belong together/],
      [{ 'auth.remote_authenticator.endpoint': 'https://me:secret@host' }, /must not hold a password/],
    ];
    for (const [config, problem] of wrong)
      await assert.rejects(
        startSrv({ plugins: ['auth-remote'], config: { 'auth.remote_authenticator.enabled': true, ...config } }),
        problem,
      );
  });
});
