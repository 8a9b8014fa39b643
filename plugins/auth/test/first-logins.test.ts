/** First logins of single sign-on users, by a server that ends at any write. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClaimedUsers } from '@srv/lib-auth/claims';
import { startAuth } from './support/auth-server.js';
import { endingAtEachWrite } from './support/ending-store.js';
import { InterleavedStore } from './support/interleaved-store.js';
import type { Kernel, KvStore } from '@srv/kernel';

const rules = { idClaim: 'sub', validate: {}, nameClaims: [], groupClaims: ['groups'], defaultGroups: [], persistName: false };

/** A server of the database, whose mode has the groups Developers and Viewers. */
async function start(kv: KvStore) {
  const kernel = await startAuth(kv);
  const { services, log } = kernel;
  const [auth, accounts] = [services.get('auth'), services.get('accounts')];
  for (const id of ['Developers', 'Viewers']) await auth.createGroup(id).catch(() => undefined);
  const users = (source: string) =>
    new ClaimedUsers({ ...rules, source }, { auth, accounts, kv, cache: { size: 0, ttl: 0, jitter: 0 }, log });
  return { kernel, auth, accounts, users };
}

const claims = { sub: 'ann', groups: ['Developers', 'NoSuchGroup', 'no/group', 'Viewers'] };
const groupsOf = async (kernel: Kernel, name: string): Promise<string[]> =>
  (await kernel.services.get('auth').listUserGroups(name)).results.map(({ id }) => id);

describe('the first login of a single sign-on user', () => {
  it('is completed by the next one whenever the server ends, also by another way to log in', async () => {
    await endingAtEachWrite(
      async kv => {
        const { users } = await start(kv);
        return () => users('oidc').userOf(claims);
      },
      async ({ kv, after }) => {
        const { kernel, users } = await start(kv);
        assert.equal((await users('jwt').userOf(claims)).username, 'ann', after);
        assert.deepEqual(await groupsOf(kernel, 'ann'), ['Developers', 'Viewers'], after);
      },
    );
  });

  it('fails while groups cannot be written, and joins them once', async () => {
    const kv = new InterleavedStore();
    const { kernel, auth, users } = await start(kv);
    kv.before('write', 'gUsers/Viewers/', () => Promise.reject(new Error('the database is gone')));
    await assert.rejects(users('oidc').userOf(claims), /the database is gone/);
    await users('oidc').userOf({ sub: 'ann', groups: [] });
    assert.deepEqual(await groupsOf(kernel, 'ann'), ['Developers', 'Viewers']);
    await auth.removeMember('Viewers', 'ann');
    await users('oidc').userOf(claims);
    assert.deepEqual(await groupsOf(kernel, 'ann'), ['Developers']);
  });

  it('that created no user gives its groups to no user of the name that others made', async () => {
    const kv = new InterleavedStore();
    const { kernel, auth, accounts, users } = await start(kv);
    kv.before('write', 'users/ann', () => Promise.reject(new Error('the database is gone')));
    await assert.rejects(users('oidc').userOf(claims), /the database is gone/);
    await accounts.createAccount({ username: 'ann', externalId: 'ann' });
    await users('oidc').userOf(claims);
    assert.deepEqual(await groupsOf(kernel, 'ann'), []);
    await auth.deleteUser('ann');
    await users('oidc').userOf({ sub: 'ann', groups: [] });
    await users('oidc').userOf({ sub: 'ann', groups: [] });
    assert.deepEqual(await groupsOf(kernel, 'ann'), []);
  });
});
