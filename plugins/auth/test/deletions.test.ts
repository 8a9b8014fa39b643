/** What is added to a user, a group or a policy while it is deleted, with both in every order. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startAuth } from './support/auth-server.js';
import { InterleavedStore } from './support/interleaved-store.js';
import type { Kernel } from '@srv/kernel';
import type { AuthService } from '../src/contract.js';

const statement = [{ effect: 'allow' as const, action: ['fs:*'], resource: '*' }];
const owners = {
  user: {
    record: 'users/dz',
    step: 'gUsers/A/users/dz',
    create: (auth: AuthService) => auth.createUser({ username: 'dz' }),
    remove: (auth: AuthService) => auth.deleteUser('dz'),
  },
  group: {
    record: 'groups/G',
    step: 'gUsers/G/users/a',
    create: (auth: AuthService) => auth.createGroup('G'),
    remove: (auth: AuthService) => auth.deleteGroup('G'),
  },
  policy: {
    record: 'policies/P',
    step: 'gPolicies/A/policies/P',
    create: (auth: AuthService) => auth.createPolicy('P', statement),
    remove: (auth: AuthService) => auth.deletePolicy('P'),
  },
} as const;

interface Addition {
  readonly name: string;
  readonly to: readonly (keyof typeof owners)[];
  /** Prefix of the first key it writes. */
  readonly key: string;
  add(kernel: Kernel): Promise<unknown>;
  /** Whether the addition is there. */
  isThere(kernel: Kernel): Promise<boolean>;
}

const key = { accessKeyId: 'AKIAJRACE', secretAccessKey: 'a secret' };
const authOf = (kernel: Kernel): AuthService => kernel.services.get('auth');
const additions: readonly Addition[] = [
  {
    name: 'an access key',
    to: ['user'],
    key: 'uCredentials/dz/',
    add: kernel => authOf(kernel).createCredential('dz', key),
    isThere: async kernel => (await kernel.services.get('identity').authenticate({ kind: 'basic', ...key })) !== undefined,
  },
  {
    name: 'a membership',
    to: ['user', 'group'],
    key: 'gUsers/G/',
    add: kernel => authOf(kernel).addMember('G', 'dz'),
    isThere: async kernel => (await authOf(kernel).listUserGroups('dz')).results.length > 0,
  },
  {
    name: 'a policy of the user',
    to: ['user', 'policy'],
    key: 'uPolicies/dz/',
    add: kernel => authOf(kernel).attachToUser('dz', 'P'),
    isThere: async kernel => (await authOf(kernel).listUserPolicies('dz')).results.length > 0,
  },
  {
    name: 'a policy of the group',
    to: ['group', 'policy'],
    key: 'gPolicies/G/',
    add: kernel => authOf(kernel).attachToGroup('G', 'P'),
    isThere: async kernel => (await authOf(kernel).listGroupPolicies('G')).results.length > 0,
  },
  {
    name: 'an external principal',
    to: ['user'],
    key: 'externalPrincipals/',
    add: kernel => kernel.services.get('accounts').createPrincipal('dz', 'p'),
    isThere: async kernel => (await kernel.services.get('accounts').findPrincipal('p')) !== undefined,
  },
];

async function setUp() {
  const kv = new InterleavedStore();
  const kernel = await startAuth(kv);
  for (const { create } of Object.values(owners)) await create(authOf(kernel));
  return { kv, kernel, auth: authOf(kernel) };
}

describe('deletions', () => {
  for (const { name, to, key: written, add, isThere } of additions)
    for (const kind of to) {
      const { record, create, remove } = owners[kind];

      it(`of a ${kind} between the check and the write leave ${name} to no later one of the name`, async () => {
        const { kv, kernel, auth } = await setUp();
        kv.before('write', written, () => remove(auth));
        await assert.rejects(add(kernel), { code: 'not_found', message: `${kind} not found` });
        await create(auth);
        assert.equal(await isThere(kernel), false);
        await add(kernel);
        assert.equal(await isThere(kernel), true);
      });

      it(`of a ${kind} that have begun refuse ${name}`, async () => {
        const { kv, kernel, auth } = await setUp();
        let refused: Promise<void> | undefined;
        kv.before('delete', record, async () => {
          refused = assert.rejects(add(kernel), { code: 'not_found', message: `${kind} not found` });
          await refused;
        });
        await remove(auth);
        assert.ok(refused);
        await create(auth);
        assert.equal(await isThere(kernel), false);
      });
    }

  for (const [kind, { record, step, create, remove }] of Object.entries(owners)) {
    it(`of a ${kind} at once leave the next one of the name and what belongs to it`, async () => {
      const { kv, kernel, auth } = await setUp();
      const own = additions.filter(({ to }) => to.some(owner => owner === kind));
      await auth.createGroup('A');
      await auth.createUser({ username: 'a' });
      await auth.addMember('G', 'a');
      kv.before('delete', step, async () => {
        await remove(auth);
        await create(auth);
        for (const { add } of own) await add(kernel);
      });
      await remove(auth);
      for (const { name, isThere } of own) assert.equal(await isThere(kernel), true, name);
      await assert.rejects(create(auth), { code: 'not_unique' });
    });

    it(`of a ${kind} at once leave the next one of the name at the last step, too`, async () => {
      const { kv, auth } = await setUp();
      kv.before('write', record, async () => {
        kv.before('write', record, async () => {
          await remove(auth);
          await create(auth);
        });
      });
      await remove(auth);
      await assert.rejects(create(auth), { code: 'not_unique' });
      await remove(auth);
    });

    it(`of a ${kind} are refused during the last step of another one, for a minute`, async t => {
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
      const { kv, auth } = await setUp();
      const refused = {
        code: 'too_many_tries',
        message: `${kind} ${record.split('/')[1]} is being deleted by another request: try again in a minute`,
      };
      kv.before('delete', record, async () => {
        await assert.rejects(remove(auth), refused);
        // The process ends here: nothing gives the record back.
        kv.before('write', record, () => Promise.reject(new Error('too late')));
        throw new Error('ended');
      });
      await assert.rejects(remove(auth), /ended/);
      await assert.rejects(remove(auth), refused);
      t.mock.timers.tick(60_000);
      await remove(auth);
      await create(auth);
    });
  }

  it('of a user leave the e-mail address of the next one of the name', async () => {
    const { kv, kernel, auth } = await setUp();
    const account = { username: 'ez', email: 'ez@example.com' };
    await auth.createUser(account);
    const { findByEmail } = kernel.services.get('accounts');
    for (const action of ['write', 'delete'] as const) {
      kv.before(action, 'userEmails/', () => auth.createUser(account).catch(() => undefined));
      await auth.deleteUser('ez');
      await auth.createUser(account).catch(() => undefined);
      assert.equal((await findByEmail(account.email))?.username, 'ez', action);
    }
  });

  it('and the next user of the name between the check and the write leave no access key', async () => {
    const { kv, kernel, auth } = await setUp();
    kv.before('write', 'uCredentials/dz/', async () => {
      const { createdAt } = await auth.getUser('dz');
      await auth.deleteUser('dz');
      while (Date.now() === createdAt.getTime()) await Promise.resolve();
      await auth.createUser({ username: 'dz' });
    });
    await assert.rejects(auth.createCredential('dz', key), { code: 'not_found', message: 'user not found' });
    assert.equal(await kernel.services.get('identity').authenticate({ kind: 'basic', ...key }), undefined);
    assert.deepEqual((await auth.listCredentials('dz')).results, []);
  });

  it('that stop halfway can be repeated, and nothing brings the record back', async () => {
    for (const { record, remove } of Object.values(owners)) {
      const { kv, auth } = await setUp();
      kv.before('delete', record, () => Promise.reject(new Error('the database is gone')));
      await assert.rejects(remove(auth), /the database is gone/);
      if (record === 'users/dz') await assert.rejects(auth.createUser({ username: 'dz' }), { code: 'not_unique' });
      if (record === 'policies/P') await assert.rejects(auth.updatePolicy('P', statement), { code: 'not_found' });
      await remove(auth);
      await assert.rejects(remove(auth), { code: 'not_found' });
    }
  });
});
