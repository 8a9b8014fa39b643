/** Headers of proxies, from peers that are configured and from others: policies, limits, cookies and log lines. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSrv } from '@srv/test-servers';
import type { TestContext } from 'node:test';
import type { RunningSrv } from '@srv/test-servers';

const elsewhere = '198.51.100.7';

async function open(t: TestContext, config: Readonly<Record<string, unknown>>): Promise<RunningSrv> {
  const srv = await startSrv({ config: { 'auth.ui_config.rbac': 'internal', ...config } });
  t.after(srv.stop);
  return srv;
}

const basic = ({ accessKeyId, secretAccessKey }: { accessKeyId: string; secretAccessKey: string }) => ({
  authorization: `Basic ${btoa(`${accessKeyId}:${secretAccessKey}`)}`,
});

/** The status of a request that a policy allows from one address only. */
async function asOnlyFrom({ kernel, url }: RunningSrv, headers: Record<string, string>): Promise<number> {
  const auth = kernel.services.get('auth');
  if (!(await auth.listUsers({})).results.some(({ username }) => username === 'ann')) {
    await auth.createUser({ username: 'ann' });
    await auth.createPolicy('OnlyThere', [
      { effect: 'allow', action: ['fs:*'], resource: '*', condition: { IpAddress: { SourceIp: [elsewhere] } } },
    ]);
    await auth.attachToUser('ann', 'OnlyThere');
  }
  const key = await auth.createCredential('ann');
  const response = await fetch(`${url}/api/v1/repositories/none`, { headers: { ...basic(key), ...headers } });
  return response.status;
}

describe('without trusted proxies', () => {
  it('policies, cookies and limits know the connection alone', async t => {
    const srv = await open(t, {});
    for (const header of ['x-forwarded-for', 'x-real-ip']) assert.equal(await asOnlyFrom(srv, { [header]: elsewhere }), 401, header);
    const login = await logIn(srv, srv.key.secretAccessKey, { 'x-forwarded-proto': 'https' });
    assert.doesNotMatch(login.headers.get('set-cookie') ?? assert.fail(), /Secure/);
    assert.deepEqual(await guesses(srv, 6), [401, 401, 401, 401, 401, 429]);
  });
});

describe('behind a trusted proxy', () => {
  it('they know the caller', async t => {
    const srv = await open(t, { 'http.trusted_proxies': ['127.0.0.0/8', '::1'] });
    for (const header of ['x-forwarded-for', 'x-real-ip']) assert.equal(await asOnlyFrom(srv, { [header]: elsewhere }), 404, header);
    assert.equal(await asOnlyFrom(srv, { 'x-forwarded-for': `${elsewhere}, 203.0.113.1` }), 401, 'what the caller says does not count');
    const login = await logIn(srv, srv.key.secretAccessKey, { 'x-forwarded-proto': 'https' });
    assert.match(login.headers.get('set-cookie') ?? assert.fail(), /Secure/);
    assert.deepEqual(await guesses(srv, 6), [401, 401, 401, 401, 401, 401]);
  });
});

function logIn({ url, key }: RunningSrv, secret: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ access_key_id: key.accessKeyId, secret_access_key: secret }),
  });
}

/** Wrong passwords, each from an address of its own. */
async function guesses(srv: RunningSrv, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 1; i <= count; i++) statuses.push((await logIn(srv, 'wrong', { 'x-forwarded-for': `198.51.100.${i}` })).status);
  return statuses;
}
