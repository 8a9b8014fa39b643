/** `cli login`: the program, a server, and a browser that the test plays. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { ScriptedHttp, startSrv } from '@srv/test-servers';
import { tokenOf } from '../src/stored-session.js';
import { TokenCache } from '../src/token-cache.js';
import { programFile, run } from './programs.js';

const api = '/api/v1';

it('cli login keeps a session that a person allows in a browser, whoami shows it, and logout forgets it', async t => {
  const { url, key, stop } = await startSrv({ config: { 'auth.ui_config.rbac': 'internal' } });
  t.after(stop);
  const home = scratchFolder();
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, CLI_SERVER_ENDPOINT_URL: url, XDG_CACHE_HOME: join(home, 'cache') };
  assert.match((await run('cli', ['whoami'], home, { env })).stderr, /"cli login" needs no key/);

  const program = spawn(process.execPath, [programFile('cli'), 'login', '--no-browser'], { env, cwd: home, stdio: 'pipe' });
  const ended = once(program, 'close');
  t.after(() => program.kill());
  let page: URL | undefined;
  for await (const line of createInterface({ input: program.stderr })) {
    if (!line.startsWith('http')) continue;
    page = new URL(line);
    break;
  }
  assert.ok(page);
  const request = page.searchParams.get('request') ?? '';
  assert.equal(page.href, `${url}/auth/terminal?request=${request}`);

  const login = await fetch(`${url}${api}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ access_key_id: key.accessKeyId, secret_access_key: key.secretAccessKey }),
  });
  const cookie = (login.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const allow = async (headers: Record<string, string>, token = request): Promise<number> =>
    (await fetch(`${url}${api}/auth/get-token/release-token/${token}`, { headers })).status;
  assert.equal(await allow({}), 401);
  assert.equal(await allow({ cookie }), 401, 'a link on another page does not allow a login');
  assert.equal(await allow({ cookie, 'x-srv-confirm': 'login' }, `${request.slice(0, -2)}xx`), 400);
  assert.equal(await allow({ cookie, 'x-srv-confirm': 'login' }), 204);
  await ended;
  assert.equal(program.exitCode, 0);

  assert.match((await run('cli', ['whoami'], home, { env })).stdout, /^admin at http:\/\/127\.0\.0\.1:\d+ by a session until \d{4}-/);
  const file = readdirSync(join(home, 'cache', 'srv-cli')).find(name => name.startsWith('session-')) ?? assert.fail();
  assert.equal(statSync(join(home, 'cache', 'srv-cli', file)).mode & 0o777, 0o600);
  assert.match((await run('cli', ['logout'], home, { env })).stdout, /^Logged out at/);
  assert.match((await run('cli', ['logout'], home, { env })).stdout, /^There was no session/);
  assert.notEqual((await run('cli', ['whoami'], home, { env })).code, 0);
});

it('cli login waits on while the server cannot be reached, and ends when it refuses', async t => {
  const home = scratchFolder();
  for (const [status, expected] of [
    [200, 0],
    [400, 1],
  ] as const) {
    let polls = 0;
    const server = await ScriptedHttp.open((request, response) => {
      if (request.url?.endsWith('/start'))
        response.writeHead(303, { location: '/auth/terminal?request=12345678', 'x-lakefs-mailbox': 'box' }).end();
      else if (++polls === 1) request.socket.destroy();
      else response.writeHead(status).end(JSON.stringify({ token: 'one', token_expiration: Math.floor(Date.now() / 1000) + 60 }));
    });
    t.after(() => server.close());
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, CLI_SERVER_ENDPOINT_URL: server.url, XDG_CACHE_HOME: home };
    const { code, stdout, stderr } = await run('cli', ['login', '--no-browser'], home, { env });
    assert.equal(code, expected, stderr);
    assert.equal(polls, 2);
    assert.match(expected === 0 ? stdout : stderr, expected === 0 ? /^Logged in at http/ : /login at http:\S+: status 400/);
  }
});

it('a mailbox gives its token once, and to its owner only; sessions are renewed, access keys are not', async t => {
  const { url, key, stop } = await startSrv({ config: { 'auth.ui_config.rbac': 'internal' } });
  t.after(stop);
  const start = await fetch(`${url}${api}/auth/get-token/start`, { redirect: 'manual' });
  assert.equal(start.status, 303);
  const mailbox = start.headers.get('x-lakefs-mailbox') ?? '';
  const request = new URL(start.headers.get('location') ?? '', url).searchParams.get('request') ?? '';
  const open = (name: string) => fetch(`${url}${api}/auth/get-token/mailboxes/${encodeURIComponent(name)}`);
  assert.equal((await open(mailbox)).status, 404);
  const authorization = `Basic ${Buffer.from(`${key.accessKeyId}:${key.secretAccessKey}`).toString('base64')}`;
  const release = () => fetch(`${url}${api}/auth/get-token/release-token/${request}`, { headers: { authorization } });
  assert.equal((await release()).status, 204);
  assert.equal((await release()).status, 409);
  assert.equal((await open(`${mailbox.slice(0, -1)}${mailbox.endsWith('A') ? 'B' : 'A'}`)).status, 404);
  assert.equal((await open('x'.repeat(99))).status, 404);
  const answers = await Promise.all([open(mailbox), open(mailbox), open(mailbox)]);
  assert.deepEqual(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [200, 404, 404],
  );
  const opened = answers.find(({ status }) => status === 200) ?? assert.fail();
  const { token } = (await opened.json()) as { token: string };
  const renew = (header: string) => fetch(`${url}${api}/auth/renew_token`, { method: 'POST', headers: { authorization: header } });
  const renewed = (await (await renew(`Bearer ${token}`)).json()) as { token: string };
  const me = await fetch(`${url}${api}/user`, { headers: { authorization: `Bearer ${renewed.token}` } });
  assert.equal(((await me.json()) as { user: { id: string } }).user.id, 'admin');
  assert.equal((await renew(authorization)).status, 400);
});

it('a shell that was opened without a session uses one as soon as there is one', async t => {
  const { url, key, stop } = await startSrv();
  t.after(stop);
  const [home, elsewhere] = [scratchFolder(), scratchFolder()];
  const body = JSON.stringify({ access_key_id: key.accessKeyId, secret_access_key: key.secretAccessKey });
  const login = await fetch(`${url}${api}/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const token = tokenOf(await login.json()) ?? assert.fail('the login has no token');
  await new TokenCache(url, join(elsewhere, 'srv-cli'), 'session').write(token);
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, CLI_SERVER_ENDPOINT_URL: url, XDG_CACHE_HOME: home };
  const lines = ['whoami', `!cp -r ${elsewhere}/srv-cli ${home}`, 'whoami', `!rm -r ${home}/srv-cli`, 'whoami'];
  const { stdout, stderr } = await run('cli', ['run', '-k', ...lines.flatMap(line => ['-e', line])], home, { env });
  assert.match(stderr, /"cli login" needs no key/);
  assert.match(stdout, /^admin at http:\/\/\S+ by a session until \S+\n$/);
  assert.match(stderr, /the session at http:\/\/\S+ has ended: run "cli login"/);
  assert.doesNotMatch(stderr, /cannot reach/);
});
