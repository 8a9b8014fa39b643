import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { fakeContext, page, runCommand } from '@srv/lib-commands/testing';
import { authCommands } from '../src/cli/index.js';
import type { Answers } from '@srv/lib-commands/testing';

const user = { id: 'ann', creation_date: 0, email: 'ann@example.com' };
const group = { id: 'Readers', creation_date: 0 };
const policy = {
  id: 'P',
  creation_date: 0,
  statement: [
    { effect: 'allow', resource: '*', action: ['fs:Read*', 'fs:List*'] },
    { effect: 'deny', resource: '["a","b"]', action: ['fs:ReadObject'] },
  ],
};

/** Command, its options, what the server answers, the calls it makes, and what it prints. */
const cases: readonly [
  name: string,
  options: Readonly<Record<string, string | boolean>>,
  answers: Answers,
  calls: unknown,
  output: RegExp,
][] = [
  ['auth users create', { id: 'ann' }, { createUser: user }, [['createUser', { body: { id: 'ann' } }]], /^User created .*\nID: ann\nCrea/],
  ['auth users delete', { id: 'ann' }, { deleteUser: undefined }, [['deleteUser', { userId: 'ann' }]], /^User deleted successfully\.$/],
  [
    'auth users sessions revoke',
    { id: 'ann' },
    { revokeSessions: undefined },
    [['revokeSessions', { userId: 'ann' }]],
    /^Sessions of ann ended\.$/,
  ],
  ['auth users list', {}, { listUsers: page([user]) }, [['listUsers', { amount: 100 }]], /^ann\tann@example\.com\t\d{4}-/],
  [
    'auth users groups list',
    { id: 'ann' },
    { listUserGroups: page([group]) },
    [['listUserGroups', { userId: 'ann', amount: 100 }]],
    /^Readers\t/,
  ],
  [
    'auth users credentials create',
    {},
    { getCurrentUser: { user }, createCredentials: { access_key_id: 'K', secret_access_key: 'S' } },
    [
      ['getCurrentUser', {}],
      ['createCredentials', { userId: 'ann' }],
    ],
    /\nAccess Key ID: K\nSecret Access Key: S\n\nKeep these/,
  ],
  [
    'auth users credentials delete',
    { 'access-key-id': 'K', id: 'bob' },
    { deleteCredentials: undefined },
    [['deleteCredentials', { userId: 'bob', accessKeyId: 'K' }]],
    /^Credentials deleted/,
  ],
  [
    'auth users credentials list',
    { id: 'bob' },
    { listUserCredentials: page([{ access_key_id: 'K', creation_date: 0 }]) },
    [['listUserCredentials', { userId: 'bob', amount: 100 }]],
    /^K\t/,
  ],
  ['auth groups create', { id: 'Readers' }, { createGroup: group }, [['createGroup', { body: { id: 'Readers' } }]], /ID: Readers/],
  ['auth groups delete', { id: 'Readers' }, { deleteGroup: undefined }, [['deleteGroup', { groupId: 'Readers' }]], /^Group deleted/],
  ['auth groups list', {}, { listGroups: page([group]) }, [['listGroups', { amount: 100 }]], /^Readers\tReaders\t/],
  [
    'auth groups members add',
    { id: 'Readers', user: 'ann' },
    { addGroupMembership: undefined },
    [['addGroupMembership', { groupId: 'Readers', userId: 'ann' }]],
    /^User successfully added\.$/,
  ],
  [
    'auth groups members remove',
    { id: 'Readers', user: 'ann' },
    { deleteGroupMembership: undefined },
    [['deleteGroupMembership', { groupId: 'Readers', userId: 'ann' }]],
    /^User successfully removed\.$/,
  ],
  [
    'auth groups members list',
    { id: 'Readers', prefix: 'a' },
    { listGroupMembers: page([user]) },
    [['listGroupMembers', { groupId: 'Readers', amount: 100, prefix: 'a' }]],
    /^ann$/,
  ],
  [
    'auth groups acl get',
    { id: 'Readers' },
    { getGroupACL: { permission: 'Read' } },
    [['getGroupACL', { groupId: 'Readers' }]],
    /^Group Readers:Read$/,
  ],
  [
    'auth groups acl set',
    { id: 'Readers', permission: 'Write' },
    { setGroupACL: undefined },
    [['setGroupACL', { groupId: 'Readers', body: { permission: 'Write' } }]],
    /^$/,
  ],
  [
    'auth groups policies attach',
    { id: 'Readers', policy: 'P' },
    { attachPolicyToGroup: undefined },
    [['attachPolicyToGroup', { groupId: 'Readers', policyId: 'P' }]],
    /^Policy attached/,
  ],
  [
    'auth groups policies detach',
    { id: 'Readers', policy: 'P' },
    { detachPolicyFromGroup: undefined },
    [['detachPolicyFromGroup', { groupId: 'Readers', policyId: 'P' }]],
    /^Policy detached/,
  ],
  [
    'auth users policies attach',
    { id: 'ann', policy: 'P' },
    { attachPolicyToUser: undefined },
    [['attachPolicyToUser', { userId: 'ann', policyId: 'P' }]],
    /^Policy attached/,
  ],
  [
    'auth users policies detach',
    { id: 'ann', policy: 'P' },
    { detachPolicyFromUser: undefined },
    [['detachPolicyFromUser', { userId: 'ann', policyId: 'P' }]],
    /^Policy detached/,
  ],
  [
    'auth users policies list',
    { id: 'ann', effective: true },
    { listUserPolicies: page([policy]) },
    [['listUserPolicies', { userId: 'ann', effective: true, amount: 100 }]],
    /^P\t.*\t0\t\*\tallow\tfs:Read\*, fs:List\*\nP\t.*\t1\t/,
  ],
  [
    'auth groups policies list',
    { id: 'Readers' },
    { listGroupPolicies: page([policy]) },
    [['listGroupPolicies', { groupId: 'Readers', amount: 100 }]],
    /^P\t/,
  ],
  ['auth policies list', {}, { listPolicies: page([policy]) }, [['listPolicies', { amount: 100 }]], /^P\t\d{4}-/],
  ['auth policies delete', { id: 'P' }, { deletePolicy: undefined }, [['deletePolicy', { policyId: 'P' }]], /^Policy deleted/],
  ['auth policies show', { id: 'P' }, { getPolicy: policy }, [['getPolicy', { policyId: 'P' }]], /"resource": \[\n\s+"a",\n\s+"b"\n/],
];

for (const [name, options, answers, calls, output] of cases) {
  test(name, async () => {
    const fake = fakeContext(answers);
    const { text } = await runCommand(authCommands, fake, name, [], options);
    assert.deepEqual(fake.calls, calls);
    assert.match(text, output);
  });
}

test('auth policies create reads a statement document, and says what is wrong with one', async () => {
  const file = join(scratchFolder(), 'policy.json');
  const create = (content: string) => {
    writeFileSync(file, content);
    return runCommand(authCommands, fake, 'auth policies create', [], { id: 'P', 'statement-document': file });
  };
  const fake = fakeContext({ createPolicy: policy });
  const { text } = await create(JSON.stringify({ statement: policy.statement }));
  assert.deepEqual(fake.calls, [['createPolicy', { body: { id: 'P', statement: policy.statement } }]]);
  assert.match(text, /^Policy created successfully\.\nID: P\n/);
  await assert.rejects(create('{'), /^Error: could not parse statement JSON document: /);
  await assert.rejects(create('{}'), { message: /a field "statement" with a list is expected$/ });
  await assert.rejects(runCommand(authCommands, fake, 'auth policies create', [], { id: 'P', 'statement-document': '/no/such' }), {
    message: /^could not open policy document: /,
  });
});

test('an empty name of a user is not the current user', async () => {
  for (const name of ['create', 'delete', 'list']) {
    const fake = fakeContext({});
    await assert.rejects(
      runCommand(authCommands, fake, `auth users credentials ${name}`, [], { id: '', 'access-key-id': 'K' }),
      /--id: an empty value is not allowed/,
    );
    assert.deepEqual(fake.calls, [], name);
  }
});
