import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { awsIamCommands } from '../src/cli/aws-iam.js';
import type { Command } from '@srv/lib-commands';

const commands = awsIamCommands as readonly Command[];
const principal = 'arn:aws:sts::123456789012:assumed-role/Dev';

test('without --id, a principal is attached to the current user', async () => {
  const fake = fakeContext({ getCurrentUser: { user: { id: 'ann' } }, createUserExternalPrincipal: undefined });
  await runCommand(commands, fake, 'auth users aws-iam attach', [], { 'principal-id': principal });
  assert.deepEqual(fake.calls.at(-1), ['createUserExternalPrincipal', { userId: 'ann', principalId: principal }]);
});

test('an empty --id is refused, not taken for the current user', async () => {
  for (const verb of ['attach', 'detach', 'list']) {
    const fake = fakeContext({});
    await assert.rejects(
      runCommand(commands, fake, `auth users aws-iam ${verb}`, [], { id: '', 'principal-id': principal }),
      /--id: an empty value is not allowed/,
    );
    assert.deepEqual(fake.calls, [], verb);
  }
});
