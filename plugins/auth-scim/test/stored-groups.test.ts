import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startSrv } from '@srv/test-servers';
import { moveGroup } from '../src/server/stored-groups.js';
import type { TestContext } from 'node:test';
import type { AuthService } from '@srv/auth/contract';

async function open(t: TestContext): Promise<AuthService> {
  const { kernel, stop } = await startSrv({ config: { 'auth.ui_config.rbac': 'internal' } });
  t.after(stop);
  const auth = kernel.services.get('auth');
  await auth.createGroup('old', 'who reads');
  await auth.createUser({ username: 'ann' });
  await auth.addMember('old', 'ann');
  for (const id of ['one', 'two', 'three']) {
    await auth.createPolicy(id, [{ effect: 'allow', action: ['fs:ReadObject'], resource: '*' }]);
    await auth.attachToGroup('old', id);
  }
  return auth;
}

async function shown(auth: AuthService, group: string) {
  const { description } = await auth.getGroup(group);
  const { results: members } = await auth.listMembers(group);
  const { results: policies } = await auth.listGroupPolicies(group);
  return { description, members: members.map(({ username }) => username), policies: policies.map(({ id }) => id) };
}

const whole = { description: 'who reads', members: ['ann'], policies: ['one', 'three', 'two'] };

it('a renamed group has the description, members and all pages of policies of the old one', async t => {
  const auth = await open(t);
  const list = auth.listGroupPolicies.bind(auth);
  t.mock.method(auth, 'listGroupPolicies', (group: string, page?: object) => list(group, { ...page, amount: 2 }));
  await moveGroup(auth, 'old', 'new');
  t.mock.restoreAll();
  assert.deepEqual(await shown(auth, 'new'), whole);
  await assert.rejects(auth.getGroup('old'), { code: 'not_found' });
});

it('a rename that fails leaves the old group alone and can be repeated', async t => {
  const auth = await open(t);
  const attach = auth.attachToGroup.bind(auth);
  t.mock.method(auth, 'attachToGroup', async (group: string, policy: string) => {
    if (policy === 'two') throw new Error('the database is away');
    await attach(group, policy);
  });
  await assert.rejects(moveGroup(auth, 'old', 'new'), /the database is away/);
  t.mock.restoreAll();
  assert.deepEqual(await shown(auth, 'old'), whole);
  await moveGroup(auth, 'old', 'new');
  assert.deepEqual(await shown(auth, 'new'), whole);
});
