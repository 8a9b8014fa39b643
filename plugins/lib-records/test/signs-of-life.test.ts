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
  one.rest();
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
  one.rest();
  await other.forget('one');
  assert.equal(await other.lastOf('one'), 0);
});
