import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { SignsOfLife, decodeSign, isSign } from '../src/index.js';

test('signs of life are given while work is under way, and end with it', async t => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: 1_800_000_000_000 });
  const kv = new MemoryKvStore();
  const parts = { kv, log: silentLogger, partition: 'signs' };
  const [one, other] = [new SignsOfLife({ ...parts, instance: 'one' }), new SignsOfLife({ ...parts, instance: 'other' })];
  assert.equal(await other.lastOf('one'), 0, 'no sign yet');
  const began = Date.now();
  await one.begin();
  assert.equal(await other.lastOf('one'), began);
  t.mock.timers.tick(5000);
  await new Promise(setImmediate);
  assert.equal(await other.lastOf('one'), began + 5000);
  one.end();
  t.mock.timers.tick(60_000);
  await new Promise(setImmediate);
  assert.equal(await other.lastOf('one'), began + 5000, 'rests without work');
  await one.begin();
  assert.equal(await other.lastOf('one'), began + 65_000, 'an old sign is renewed before work begins');
  for await (const page of kv.scan('signs'))
    for (const { key, value } of page) {
      assert.ok(isSign(key.toString()));
      assert.equal(decodeSign(value).getTime(), began + 65_000);
    }
  one.end();
  await other.forget('one');
  assert.equal(await other.lastOf('one'), 0);
});

test('signs are given until the last of several pieces of work has ended, and none after one that could not begin', async t => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: 1_800_000_000_000 });
  const kv = new MemoryKvStore();
  const signs = new SignsOfLife({ kv, log: silentLogger, partition: 'signs', instance: 'one' });
  const lastAfter = async (ms: number): Promise<number> => {
    t.mock.timers.tick(ms);
    await new Promise(setImmediate);
    return Date.now() - (await signs.lastOf('one'));
  };
  await signs.begin();
  // While the second one begins, the first one ends.
  const second = signs.begin();
  signs.end();
  await second;
  assert.equal(await lastAfter(60_000), 0);
  signs.end();
  assert.equal(await lastAfter(60_000), 60_000);

  const failing = t.mock.method(kv, 'set', () => Promise.reject(new Error('the database is away')));
  await assert.rejects(signs.begin(), /is away/);
  failing.mock.restore();
  assert.equal(await lastAfter(60_000), 120_000);
  await signs.begin();
  signs.end();
  assert.equal(await lastAfter(60_000), 60_000);

  await signs.begin();
  await signs.stop();
  assert.equal(await lastAfter(10_000), 10_000, 'of work that others take over');
  signs.end();
  await signs.stop();
  assert.equal(await signs.lastOf('one'), 0);
});
