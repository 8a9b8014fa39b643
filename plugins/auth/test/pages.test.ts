/** Lists in pages, of names whose order as UTF-16 is another than that of their bytes. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { MemoryKvStore } from '@srv/kernel/testing';
import { startAuth } from './support/auth-server.js';
import type { AuthPage, AuthPageRequest, AuthService } from '../src/contract.js';

/** In byte order. */
const names = ['zz', 'zz-1', 'zzé', 'zz～', 'zz😀', 'zz😀a'];
const statement = [{ effect: 'allow' as const, action: ['fs:*'], resource: '*' }];

describe('pages', () => {
  let auth: AuthService;
  before(async () => {
    auth = (await startAuth(new MemoryKvStore())).services.get('auth');
    await auth.createUser({ username: 'pg' });
    await auth.createGroup('a');
    for (const name of names.toReversed()) {
      await auth.createUser({ username: name });
      await auth.createGroup(name);
      await auth.addMember(name, 'pg');
      await auth.addMember('a', name);
      await auth.createPolicy(name, statement);
      await auth.attachToUser('pg', name);
      await auth.attachToGroup('a', name);
    }
  });

  const lists: Readonly<
    Record<string, (page: AuthPageRequest) => Promise<AuthPage<{ readonly id?: string; readonly username?: string }>>>
  > = {
    users: page => auth.listUsers(page),
    groups: page => auth.listGroups(page),
    policies: page => auth.listPolicies(page),
    members: page => auth.listMembers('a', page),
    'groups of a user': page => auth.listUserGroups('pg', page),
    'policies of a user': page => auth.listUserPolicies('pg', page),
    'effective policies of a user': page => auth.listUserPolicies('pg', { ...page, effective: true }),
    'policies of a group': page => auth.listGroupPolicies('a', page),
  };

  for (const [name, list] of Object.entries(lists))
    it(`of the ${name} have every item once, in byte order, whatever their size`, async () => {
      for (const amount of [1, 2, 5, 100]) {
        const found: (string | undefined)[] = [];
        for (let after = '', more = true; more; ) {
          const page = await list({ prefix: 'zz', after, amount });
          assert.ok(page.results.length <= amount);
          found.push(...page.results.map(({ id, username }) => id ?? username));
          after = page.nextOffset;
          more = page.hasMore;
        }
        assert.deepEqual(found, names);
      }
      assert.deepEqual(
        (await list({ prefix: 'zz😀' })).results.map(({ id, username }) => id ?? username),
        ['zz😀', 'zz😀a'],
      );
    });
});
