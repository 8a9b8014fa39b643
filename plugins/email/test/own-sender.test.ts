import assert from 'node:assert/strict';
import { it } from 'node:test';
import { definePlugin } from '@srv/kernel';
import { createTestKernel } from '@srv/kernel/testing';
import section from '../src/config.js';
import email from '../src/server/index.js';
import type { AccountService, AuthService } from '@srv/auth/contract';

/** What this plugin needs of users: a service that knows them. */
const users = definePlugin({
  name: 'users',
  apply: ({ hooks, services }) =>
    hooks.start.tapPromise('users', async () => {
      services.provide('auth', {} as AuthService);
      services.provide('accounts', {} as AccountService);
    }),
});

it('offers invitations and new passwords where another plugin sends the mail, without a mail host', async t => {
  const sender = definePlugin({
    name: 'pigeons',
    apply: ({ hooks }) => hooks.email.tapPromise('pigeons', async () => ({ accepted: true })),
  });
  for (const [plugins, offered] of [
    [[{ plugin: users }], false],
    [[{ plugin: users }, { plugin: sender }], true],
  ] as const) {
    const kernel = await createTestKernel({ plugins: [...plugins, { plugin: email, section, requires: ['users'] }] });
    t.after(() => kernel.stop());
    assert.equal(kernel.services.find('invitations') !== undefined, offered);
    assert.equal(kernel.services.find('passwords') !== undefined, offered);
  }
});
