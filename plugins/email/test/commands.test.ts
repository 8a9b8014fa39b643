import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { emailCommands } from '../src/cli/index.js';

const user = { id: 'ann@example.com', creation_date: 0 };

test('auth users invite creates the user with an invitation', async () => {
  const fake = fakeContext({ createUser: user });
  const { text } = await runCommand(emailCommands, fake, 'auth users invite', [], { id: 'ann@example.com' });
  assert.match(text, /Invitation sent to ann@example\.com/);
  assert.deepEqual(fake.calls, [['createUser', { body: { id: 'ann@example.com', invite_user: true } }]]);
});

test('auth password forgot does not reveal whether the address is known', async () => {
  const fake = fakeContext({ forgotPassword: undefined });
  const { text } = await runCommand(emailCommands, fake, 'auth password forgot', [], { email: 'ann@example.com' });
  assert.equal(text.trim(), 'If ann@example.com is known, a message is on its way.');
  assert.deepEqual(fake.calls, [['forgotPassword', { body: { email: 'ann@example.com' } }]]);
});

test('auth password set takes the password from an option or from the environment', async t => {
  const fake = fakeContext({ updatePassword: undefined });
  const set = (options: Record<string, string>) => runCommand(emailCommands, fake, 'auth password set', [], { token: 't', ...options });
  await assert.rejects(set({}), /no password given/);
  await set({ password: 'as option' });
  process.env['CLI_NEW_PASSWORD'] = 'from outside';
  t.after(() => delete process.env['CLI_NEW_PASSWORD']);
  const { text } = await set({});
  assert.equal(text.trim(), 'Password set.');
  assert.deepEqual(fake.calls, [
    ['updatePassword', { body: { token: 't', new_password: 'as option' } }],
    ['updatePassword', { body: { token: 't', new_password: 'from outside' } }],
  ]);
});
