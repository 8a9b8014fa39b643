/** Users who are deactivated or deleted at the server that keeps them, as the server that uses it sees them. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { until } from '@srv/kernel/testing';
import { mintServiceToken } from '@srv/lib-auth/authorization';
import { startSrv } from '@srv/test-servers';
import type { RunningSrv } from '@srv/test-servers';

const needs = ['auth-service', 'auth-scim'].filter(name => !existsSync(new URL(`../../../${name}`, import.meta.url)));
const scimToken = 'a-token-of-sixteen-characters';

describe('users of an external service', { skip: needs.length > 0 ? `needs ${needs.join(', ')}` : false }, () => {
  let directory: RunningSrv;
  let srv: RunningSrv;

  before(async () => {
    directory = await startSrv({
      plugins: ['auth-service', 'auth-scim'],
      config: { 'auth.ui_config.rbac': 'internal', 'auth.service.enabled': true, 'auth.scim.token': scimToken },
    });
    srv = await startSrv({
      plugins: ['auth-external'],
      config: {
        'auth.ui_config.rbac': 'external',
        'auth.api.endpoint': `${directory.url}/authorization/v1`,
        // What it answers is as fresh as it gets: no test waits for a cache.
        'auth.cache.enabled': false,
      },
    });
  });
  after(async () => {
    await srv?.stop();
    await directory?.stop();
  });

  const setActive = async (username: string, active: boolean): Promise<void> => {
    const Operations = [{ op: 'replace', path: 'active', value: active }];
    const response = await fetch(`${directory.url}/scim/v2/Users/${username}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${scimToken}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations }),
    });
    assert.equal(response.status, 200);
  };
  const statusOf = async (authorization: string): Promise<number> =>
    (await fetch(`${srv.url}/api/v1/user`, { headers: { authorization } })).status;
  const logIn = async (key: { readonly accessKeyId: string; readonly secretAccessKey: string }) => {
    const body = JSON.stringify({ access_key_id: key.accessKeyId, secret_access_key: key.secretAccessKey });
    const response = await fetch(`${srv.url}/api/v1/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return { status: response.status, token: String(((await response.json()) as { token?: string }).token) };
  };

  it('are not authenticated by anything while the service says that they are not active', async () => {
    const auth = directory.kernel.services.get('auth');
    await auth.createUser({ username: 'ann' });
    const key = await auth.createCredential('ann');
    const byKey = `Basic ${Buffer.from(`${key.accessKeyId}:${key.secretAccessKey}`).toString('base64')}`;
    const { token } = await logIn(key);
    const { token: withoutKey } = await srv.kernel.services.get('auth').issueToken('ann');
    const answers = async () => [
      await statusOf(byKey),
      await statusOf(`Bearer ${token}`),
      await statusOf(`Bearer ${withoutKey}`),
      (await logIn(key)).status,
    ];
    assert.deepEqual(await answers(), [200, 200, 200, 200]);
    await setActive('ann', false);
    assert.deepEqual(await answers(), [401, 401, 401, 401]);
    await assert.rejects(srv.kernel.services.get('auth').issueToken('ann'), { code: 'unauthenticated' });
    assert.equal((await srv.kernel.services.get('auth').getUser('ann')).inactive, true);
    await setActive('ann', true);
    assert.deepEqual(await answers(), [200, 200, 200, 200]);
  });

  it('have no access keys for clients that do not know of deactivated users', async () => {
    const auth = directory.kernel.services.get('auth');
    await auth.createUser({ username: 'bob' });
    const { accessKeyId } = await auth.createCredential('bob');
    const { secretKey } = directory.kernel.services.get('identitySettings');
    const headers = { authorization: `Bearer ${mintServiceToken(secretKey)}` };
    const reveal = async () => (await fetch(`${directory.url}/authorization/v1/auth/credentials/${accessKeyId}`, { headers })).status;
    assert.equal(await reveal(), 200);
    await setActive('bob', false);
    assert.equal(await reveal(), 404);
    await setActive('bob', true);
    assert.equal(await reveal(), 200);
  });

  it('leave no session to the next user of the name', async () => {
    const auth = directory.kernel.services.get('auth');
    await auth.createUser({ username: 'carl' });
    const { createdAt } = await auth.getUser('carl');
    const { token } = await srv.kernel.services.get('auth').issueToken('carl');
    assert.equal(await statusOf(`Bearer ${token}`), 200);
    const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
    await until(async () => {
      await auth.deleteUser('carl');
      return seconds((await auth.createUser({ username: 'carl' })).createdAt) !== seconds(createdAt);
    });
    assert.equal(await statusOf(`Bearer ${token}`), 401);
    const { token: own } = await srv.kernel.services.get('auth').issueToken('carl');
    assert.equal(await statusOf(`Bearer ${own}`), 200);
  });
});
