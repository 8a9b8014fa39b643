/** Logins from a terminal end with what allowed them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startSrv } from '@srv/test-servers';
import type { RunningSrv } from '@srv/test-servers';
import type { AuthService } from '../src/contract.js';

let srv: RunningSrv;
let auth: AuthService;
let users = 0;
before(async () => {
  srv = await startSrv({ config: { 'auth.ui_config.rbac': 'internal' } });
  auth = srv.kernel.services.get('auth');
});
after(() => srv.stop());

const api = (path: string, { authorization, method = 'GET' }: { authorization?: string; method?: string } = {}) =>
  fetch(`${srv.url}/api/v1${path}`, { method, redirect: 'manual', headers: authorization === undefined ? {} : { authorization } });

/** A user of its own for each test, with a key. */
async function setUp() {
  const username = `tim-${users++}`;
  await auth.createUser({ username });
  const key = await auth.createCredential(username);
  return { username, key, byKey: `Basic ${Buffer.from(`${key.accessKeyId}:${key.secretAccessKey}`).toString('base64')}` };
}

/** Begins a login and allows it. @returns what the program asks for its token. */
async function allow(authorization: string) {
  const started = await api('/auth/get-token/start');
  const request = new URL(started.headers.get('location') ?? '', srv.url).searchParams.get('request') ?? '';
  const allowed = await api(`/auth/get-token/release-token/${request}`, { authorization });
  assert.equal(allowed.status, 204);
  return () => api(`/auth/get-token/mailboxes/${started.headers.get('x-lakefs-mailbox') ?? ''}`);
}

async function tokenOf(response: Response): Promise<string> {
  assert.equal(response.status, 200);
  return `Bearer ${((await response.json()) as { token: string }).token}`;
}
const renew = async (token: string) => tokenOf(await api('/auth/renew_token', { method: 'POST', authorization: token }));
const statusOf = async (authorization: string) => (await api('/user', { authorization })).status;
const endOf = (token: string) => (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number }).exp;

describe('logins from a terminal', () => {
  it('end with the access key that allowed them, also by a session', async () => {
    for (const bySession of [false, true]) {
      const { username, key, byKey } = await setUp();
      const collect = await allow(bySession ? `Bearer ${(await auth.logIn(key)).token}` : byKey);
      const token = await tokenOf(await collect());
      const tokens = [token, await renew(token)];
      for (const each of tokens) assert.equal(await statusOf(each), 200);
      await auth.deleteCredential(username, key.accessKeyId);
      for (const each of tokens) assert.equal(await statusOf(each), 401);
    }
  });

  it('end with the session that allowed them, and are as long as any when that was not limited', async () => {
    const { username } = await setUp();
    const limited = `Bearer ${(await auth.issueToken(username, 60_000)).token}`;
    const short = await tokenOf(await (await allow(limited))());
    assert.deepEqual([endOf(short), endOf(await renew(short))], [endOf(limited), endOf(limited)]);
    const usual = await tokenOf(await (await allow(`Bearer ${(await auth.issueToken(username)).token}`))());
    assert.ok(endOf(usual) > Date.now() / 1000 + 167 * 3600);
  });

  it('give no token once the key, the sessions or the user have gone that allowed them', async () => {
    const { username, key, byKey } = await setUp();
    const bySession = `Bearer ${(await auth.issueToken(username)).token}`;
    const collects = [await allow(byKey), await allow(bySession)];
    await auth.deleteCredential(username, key.accessKeyId);
    await auth.revokeSessions(username);
    for (const collect of collects) assert.equal((await collect()).status, 404);
    const collect = await allow(`Bearer ${(await auth.issueToken(username)).token}`);
    await auth.deleteUser(username);
    await auth.createUser({ username });
    assert.equal((await collect()).status, 404);
  });

  it('are collected within ten minutes, and only those that were begun', async t => {
    const { byKey } = await setUp();
    const [early, late] = [await allow(byKey), await allow(byKey)];
    const now = Date.now();
    t.mock.timers.enable({ apis: ['Date'], now: now + 590_000 });
    assert.equal((await early()).status, 200);
    t.mock.timers.setTime(now + 601_000);
    assert.equal((await late()).status, 404);
    for (const mailbox of ['none', `${'0'.repeat(9)}.${'x'.repeat(32)}`])
      assert.equal((await api(`/auth/get-token/mailboxes/${mailbox}`)).status, 404, mailbox);
  });

  it('that an earlier version allowed are collected', async () => {
    const { username, byKey } = await setUp();
    const collect = await allow(byKey);
    const kv = srv.kernel.services.get('kv');
    const prefix = 'terminalLogins/';
    let stored: Buffer | undefined;
    for await (const page of kv.scan('auth', { start: Buffer.from(prefix) }))
      for (const { key, value } of page) if (key.toString().startsWith(prefix) && value.toString().includes(`"${username}"`)) stored = key;
    assert.ok(stored);
    assert.doesNotMatch((await kv.get('auth', stored))?.value.toString() ?? '', /eyJ/, 'no token is stored');
    await kv.set('auth', stored, Buffer.from(username));
    assert.equal(await statusOf(await tokenOf(await collect())), 200);
  });
});
