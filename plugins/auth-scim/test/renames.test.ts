import assert from 'node:assert/strict';
import { it } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { startSrv } from '@srv/test-servers';
import { createGroupIds } from '../src/server/group-ids.js';
import { scimGroups } from '../src/server/groups.js';
import { createNameLocks } from '../src/server/name-locks.js';
import type { TestContext } from 'node:test';
import type { AuthService } from '@srv/auth/contract';

async function open(t: TestContext) {
  const { kernel, stop } = await startSrv({ config: { 'auth.ui_config.rbac': 'internal' } });
  t.after(stop);
  const auth = kernel.services.get('auth');
  await auth.createGroup('old', 'who reads');
  for (const username of ['ann', 'eve']) {
    await auth.createUser({ username });
    await auth.addMember('old', username);
  }
  for (const id of ['one', 'two', 'three']) {
    await auth.createPolicy(id, [{ effect: 'allow', action: ['fs:ReadObject'], resource: '*' }]);
    await auth.attachToGroup('old', id);
  }
  const kv = new MemoryKvStore();
  const accounts = kernel.services.get('accounts');
  const groups = scimGroups({ auth, accounts, ids: createGroupIds(kv), holding: createNameLocks(kv, silentLogger), base: '' });
  const patch = (op: object) => groups.patch('old', { Operations: [op] });
  return {
    auth,
    kv,
    groups,
    rename: (value = 'new') => patch({ op: 'replace', path: 'displayName', value }),
    removeEve: () => patch({ op: 'remove', path: 'members[value eq "eve"]' }),
    names: async () => (await auth.listGroups()).results.map(({ id }) => id).filter(id => ['old', 'new', 'other'].includes(id)),
  };
}

/** From here on nothing reaches the database, as where the process ends, until the mocks are restored. @param method is mocked already. */
function endProcess(t: TestContext, auth: AuthService, kv: MemoryKvStore, method: string): never {
  const end = () => Promise.reject(new Error('ended'));
  for (const other of ['getGroup', 'createGroup', 'deleteGroup'] as const) if (other !== method) t.mock.method(auth, other, end);
  for (const other of ['get', 'set', 'setIf', 'delete'] as const) t.mock.method(kv, other, end);
  throw new Error('ended');
}

async function shown(auth: AuthService, group: string) {
  const { description } = await auth.getGroup(group);
  const { results: members } = await auth.listMembers(group);
  const { results: policies } = await auth.listGroupPolicies(group);
  return { description, members: members.map(({ username }) => username), policies: policies.map(({ id }) => id) };
}

const whole = { description: 'who reads', members: ['ann', 'eve'], policies: ['one', 'three', 'two'] };

it('a renamed group has the description, members and all pages of policies of the old one', async t => {
  const { auth, rename } = await open(t);
  const list = auth.listGroupPolicies.bind(auth);
  t.mock.method(auth, 'listGroupPolicies', (group: string, page?: object) => list(group, { ...page, amount: 2 }));
  await rename();
  t.mock.restoreAll();
  assert.deepEqual(await shown(auth, 'new'), whole);
  await assert.rejects(auth.getGroup('old'), { code: 'not_found' });
});

it('a rename that fails leaves the old group alone and can be repeated', async t => {
  const { auth, rename } = await open(t);
  const attach = auth.attachToGroup.bind(auth);
  t.mock.method(auth, 'attachToGroup', async (group: string, policy: string) => {
    if (policy === 'two') throw new Error('the database is away');
    await attach(group, policy);
  });
  await assert.rejects(rename(), /the database is away/);
  t.mock.restoreAll();
  assert.deepEqual(await shown(auth, 'old'), whole);
  await rename();
  assert.deepEqual(await shown(auth, 'new'), whole);
});

for (const step of ['createGroup', 'attachToGroup', 'deleteGroup'] as const)
  it(`a removal of a member during a rename is refused or kept, at the step ${step}`, async t => {
    const { auth, groups, rename, removeEve } = await open(t);
    const run = auth[step].bind(auth) as (...args: unknown[]) => Promise<unknown>;
    let answer: unknown;
    t.mock.method(auth, step, async (...args: unknown[]) => {
      answer ??= await removeEve().catch(({ status }: { readonly status: number }) => status);
      return run(...args);
    });
    await rename();
    t.mock.restoreAll();
    assert.equal(answer, 409);
    await removeEve();
    assert.deepEqual((await groups.get('old', {}))['members'], [{ value: 'ann', type: 'User', $ref: '/Users/ann' }]);
  });

it('a rename during a removal of a member refuses the removal, or sees it', async t => {
  const { auth, rename, removeEve } = await open(t);
  const remove = auth.removeMember.bind(auth);
  let renamed: unknown;
  t.mock.method(auth, 'removeMember', async (group: string, username: string) => {
    renamed ??= await rename();
    return remove(group, username);
  });
  await assert.rejects(removeEve(), { status: 409 });
  assert.ok(renamed);
  await removeEve();
  assert.deepEqual((await shown(auth, 'new')).members, ['ann']);
});

it('a policy that is detached during a rename does not come back', async t => {
  const { auth, rename } = await open(t);
  const attach = auth.attachToGroup.bind(auth);
  t.mock.method(auth, 'attachToGroup', async (group: string, policy: string) => {
    await attach(group, policy);
    if (policy === 'two') await auth.detachFromGroup('old', 'one');
  });
  await rename();
  assert.deepEqual((await shown(auth, 'new')).policies, ['three', 'two']);
});

/** Where the server ends: before a call of the directory, or after it. */
const ends = [
  { method: 'createGroup', isAfter: false, name: 'old' },
  { method: 'createGroup', isAfter: true, name: 'old' },
  { method: 'attachToGroup', isAfter: false, name: 'old' },
  { method: 'deleteGroup', isAfter: false, name: 'new' },
  { method: 'deleteGroup', isAfter: true, name: 'new' },
] as const;
for (const { method, isAfter, name } of ends)
  it(`a rename that ends ${isAfter ? 'after' : 'before'} ${method} leaves the group ${name}, whole, which can be renamed`, async t => {
    const { auth, kv, groups, rename, names } = await open(t);
    const run = auth[method].bind(auth) as (...args: unknown[]) => Promise<unknown>;
    t.mock.method(auth, method, async (...args: unknown[]) => {
      if (isAfter) await run(...args);
      endProcess(t, auth, kv, method);
    });
    await assert.rejects(rename(), /ended/);
    t.mock.restoreAll();
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    assert.equal((await groups.get('old', {}))['displayName'], name, 'also while the rename counts as running');
    await assert.rejects(groups.delete('old'), { status: 409 });
    t.mock.timers.tick(60_000);
    assert.equal((await groups.get('old', {}))['displayName'], name);
    assert.deepEqual([await names(), await shown(auth, name)], [[name], whole]);
    await rename('other');
    assert.deepEqual([await names(), await shown(auth, 'other')], [['other'], whole]);
    await groups.delete('old');
    assert.deepEqual(await names(), []);
  });
