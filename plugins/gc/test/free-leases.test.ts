import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeLeasesOf } from '../src/run/free-leases.js';
import type { KvStore } from '@srv/kernel';

const yes = (): Promise<boolean> => Promise.resolve(true);
const no = (): Promise<boolean> => Promise.resolve(false);
const never = (): Promise<boolean> => assert.fail('asked the database');
const leases = () => freeLeasesOf({} as KvStore);

test('a repository that is not collected is remembered until a lease is taken', async () => {
  const all = leases();
  assert.equal(await all.has('a', no), false);
  assert.equal(await all.has('a', yes), true);
  assert.equal(await all.has('a', never), true);
  assert.equal(await all.has('b', no), false);
  all.forget('a');
  assert.equal(await all.has('a', no), false);
});

test('a read that began before a lease was taken is not remembered', async () => {
  const all = leases();
  let answer = (_: boolean): void => {};
  const look = all.has('a', () => new Promise(resolve => (answer = resolve)));
  all.forget('a');
  answer(true);
  assert.equal(await look, true);
  assert.equal(await all.has('a', no), false);
});

test('the memory stays small', async () => {
  const all = leases();
  for (let i = 0; i <= 10_000; i++) await all.has(String(i), yes);
  assert.equal(await all.has('0', no), false);
  assert.equal(await all.has('10000', never), true);
});

test('beyond rememberedFree: the database is asked again', async () => {
  const all = leases();
  for (let i = 0; i < 10_000; i++) await all.has(`p${i}`, yes);
  assert.equal(await all.has('p0', never), true);
  await all.has('p10000', yes);
  let asked = 0;
  assert.equal(await all.has('p0', async () => ++asked > 0), true);
  assert.equal(asked, 1);
});
