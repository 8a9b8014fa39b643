import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PartitionsWithout } from '../src/partitions-without.js';

const yes = (): Promise<boolean> => Promise.resolve(true);
const no = (): Promise<boolean> => Promise.resolve(false);
const never = (): Promise<boolean> => assert.fail('asked the database');

test('a partition without records is remembered until one is written', async () => {
  const all = new PartitionsWithout();
  assert.equal(await all.has('a', no), false);
  assert.equal(await all.has('a', yes), true);
  assert.equal(await all.has('a', never), true);
  assert.equal(await all.has('b', no), false);
  all.forget('a');
  assert.equal(await all.has('a', no), false);
});

test('that there are some is remembered where they last', async () => {
  const all = new PartitionsWithout({ isLasting: true });
  assert.equal(await all.has('a', yes), true);
  all.forget('a');
  assert.equal(await all.has('a', no), false);
  assert.equal(await all.has('a', never), false);
});

test('a read that began before a record was written is not remembered', async () => {
  const all = new PartitionsWithout();
  let answer = (_: boolean): void => {};
  const look = all.has('a', () => new Promise(resolve => (answer = resolve)));
  all.forget('a');
  answer(true);
  assert.equal(await look, true);
  assert.equal(await all.has('a', no), false);
});

test('beyond maxRemembered: the database is asked again', async () => {
  const all = new PartitionsWithout();
  for (let i = 0; i < 10_000; i++) await all.has(`p${i}`, yes);
  assert.equal(await all.has('p0', never), true);
  await all.has('p10000', yes);
  assert.equal(await all.has('p10000', never), true);
  assert.equal(await all.has('p0', no), false);
});
