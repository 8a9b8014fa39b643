/** How many reset messages one caller can cause. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { PasswordAccounts } from '../src/server/password-accounts.js';

function open() {
  let asked = 0;
  let answer: () => void = () => {};
  const open = new Promise<void>(resolve => (answer = resolve));
  const findByEmail = async (): Promise<undefined> => {
    asked++;
    await open;
  };
  const parts = { accounts: { findByEmail }, log: silentLogger } as unknown as ConstructorParameters<typeof PasswordAccounts>[0];
  return { accounts: new PasswordAccounts(parts), answer, asked: () => asked };
}

test('beyond mostPending: further addresses get no message while that many are being sent', async () => {
  const { accounts, answer, asked } = open();
  for (let n = 0; n < 150; n++) accounts.forgot(`user${n}@example.com`);
  assert.equal(asked(), 100);
  answer();
  await accounts.drain();
  accounts.forgot('user149@example.com');
  assert.equal(asked(), 101);
});

test('beyond rememberedResets: only an address of long ago may ask again', async () => {
  const { accounts, answer, asked } = open();
  answer();
  for (let n = 0; n <= 10_000; n++) {
    accounts.forgot(`user${n}@example.com`);
    await accounts.drain();
  }
  accounts.forgot('user10000@example.com');
  assert.equal(asked(), 10_001);
  accounts.forgot('user0@example.com');
  assert.equal(asked(), 10_002);
});
