/** External principals, when a server ends between two writes: they go to no other user, and can be attached again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeIndex } from '../src/server/storage/records.js';
import { startAuth } from './support/auth-server.js';
import { InterleavedStore } from './support/interleaved-store.js';

const reverse = (username: string): string => `uExternalPrincipals/${username}/principals/role`;

async function setUp() {
  const kv = new InterleavedStore();
  const { services } = await startAuth(kv);
  const [auth, accounts] = [services.get('auth'), services.get('accounts')];
  for (const username of ['ann', 'bob']) await auth.createUser({ username });
  const ids = async (username: string) => (await accounts.listPrincipals(username)).results.map(({ id }) => id);
  return { kv, auth, accounts, ids };
}

/** The process ends before the write of the reverse entry, so nothing takes back what it did before. */
function endBeforeReverse(kv: InterleavedStore): void {
  kv.before('write', reverse('ann'), async () => {
    kv.before('write', 'externalPrincipals/', () => Promise.reject(new Error('too late')));
    throw new Error('ended');
  });
}

describe('an external principal', () => {
  it('whose creation stops halfway is not there, can be attached again, and does not go to the next user of the name', async () => {
    for (const isRepeated of [true, false]) {
      const { kv, auth, accounts, ids } = await setUp();
      endBeforeReverse(kv);
      await assert.rejects(accounts.createPrincipal('ann', 'role'), /ended/);
      assert.deepEqual([await accounts.findPrincipal('role'), await ids('ann')], [undefined, []]);
      if (isRepeated) {
        await accounts.createPrincipal('ann', 'role');
        assert.deepEqual([await accounts.findPrincipal('role'), await ids('ann')], [{ id: 'role', username: 'ann' }, ['role']]);
      }
      await auth.deleteUser('ann');
      await auth.createUser({ username: 'ann' });
      assert.equal(await accounts.findPrincipal('role'), undefined);
    }
  });

  it('is free for others a minute after a creation that stopped halfway', async t => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { kv, accounts } = await setUp();
    endBeforeReverse(kv);
    await assert.rejects(accounts.createPrincipal('ann', 'role'), /ended/);
    await assert.rejects(accounts.createPrincipal('bob', 'role'), { code: 'not_unique' });
    t.mock.timers.tick(60_000);
    await accounts.createPrincipal('bob', 'role');
    assert.deepEqual(await accounts.findPrincipal('role'), { id: 'role', username: 'bob' });
  });

  it('whose removal stops halfway can be removed again, or is free after a minute', async t => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { kv, accounts, ids } = await setUp();
    await accounts.createPrincipal('ann', 'role');
    kv.before('delete', reverse('ann'), () => Promise.reject(new Error('ended')));
    await assert.rejects(accounts.deletePrincipal('ann', 'role'), /ended/);
    kv.before('write', 'externalPrincipals/', () => Promise.reject(new Error('ended')));
    await assert.rejects(accounts.deletePrincipal('ann', 'role'), /ended/);
    assert.deepEqual([await accounts.findPrincipal('role'), await ids('ann')], [undefined, []]);
    t.mock.timers.tick(60_000);
    await accounts.createPrincipal('bob', 'role');
    assert.deepEqual([await ids('ann'), await ids('bob')], [[], ['role']]);
  });

  it('stays with its user when one is deleted whose list still has it', async () => {
    const { kv, auth, accounts, ids } = await setUp();
    await accounts.createPrincipal('bob', 'role');
    await kv.set('auth', Buffer.from(reverse('ann')), encodeIndex('externalPrincipals/role'));
    assert.deepEqual(await ids('ann'), []);
    await auth.deleteUser('ann');
    assert.deepEqual(await accounts.findPrincipal('role'), { id: 'role', username: 'bob' });
    assert.deepEqual(await ids('bob'), ['role']);
  });

  it('of an earlier version that no list has can be attached again', async () => {
    const { kv, accounts, ids } = await setUp();
    await kv.set('auth', Buffer.from('externalPrincipals/role'), encodeIndex('users/ann'));
    await accounts.createPrincipal('bob', 'role');
    assert.deepEqual(await ids('bob'), ['role']);
  });

  it('that is attached twice at once has one user', async () => {
    const { kv, accounts, ids } = await setUp();
    kv.before('write', 'externalPrincipals/', () => accounts.createPrincipal('bob', 'role'));
    await assert.rejects(accounts.createPrincipal('ann', 'role'), { code: 'not_unique' });
    assert.deepEqual([await ids('ann'), await ids('bob')], [[], ['role']]);
  });
});
