import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { SignsOfLife, StillWatch, decodeSign, isSign, signExpiry } from '../src/index.js';

/** Milliseconds since 1970 of the only sign; 0: none. */
async function lastOf(kv: MemoryKvStore): Promise<number> {
  for await (const page of kv.scan('signs'))
    for (const { key, value } of page) {
      assert.ok(isSign(key.toString()));
      return decodeSign(value).getTime();
    }
  return 0;
}

test('signs of life are given while work is under way, and end with it', async t => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: 1_800_000_000_000 });
  const kv = new MemoryKvStore();
  const parts = { kv, log: silentLogger, partition: 'signs' };
  const [one, other] = [new SignsOfLife({ ...parts, instance: 'one' }), new SignsOfLife({ ...parts, instance: 'other' })];
  assert.equal(await lastOf(kv), 0, 'no sign yet');
  const began = Date.now();
  await one.begin();
  assert.equal(await lastOf(kv), began);
  t.mock.timers.tick(5000);
  await new Promise(setImmediate);
  assert.equal(await lastOf(kv), began + 5000);
  one.end();
  t.mock.timers.tick(60_000);
  await new Promise(setImmediate);
  assert.equal(await lastOf(kv), began + 5000, 'rests without work');
  await one.begin();
  assert.equal(await lastOf(kv), began + 65_000, 'an old sign is renewed before work begins');
  one.end();
  await other.forget('one');
  assert.equal(await lastOf(kv), 0);
});

test('signs are given until the last of several pieces of work has ended, and none after one that could not begin', async t => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: 1_800_000_000_000 });
  const kv = new MemoryKvStore();
  const signs = new SignsOfLife({ kv, log: silentLogger, partition: 'signs', instance: 'one' });
  const lastAfter = async (ms: number): Promise<number> => {
    t.mock.timers.tick(ms);
    await new Promise(setImmediate);
    return Date.now() - (await lastOf(kv));
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
  assert.equal(await lastOf(kv), 0);
});

for (const minutes of [-20, 0, 20])
  test(`a server whose clock is ${minutes} minutes ahead is gone when its signs end, and not before`, async t => {
    const [start, skew] = [1_800_000_000_000, minutes * 60_000];
    t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: start + skew });
    const kv = new MemoryKvStore('postgres');
    const parts = { kv, log: silentLogger, partition: 'signs' };
    const one = new SignsOfLife({ ...parts, instance: 'one' });
    let now = 0;
    const [watching, late] = [0, 1].map(() => new SignsOfLife({ ...parts, instance: 'other', watch: new StillWatch(() => now) })) as [
      SignsOfLife,
      SignsOfLife,
    ];
    const isGone = async (signs: SignsOfLife): Promise<boolean> => {
      t.mock.timers.setTime(start + now);
      const gone = await signs.isGone('one');
      t.mock.timers.setTime(start + now + skew);
      return gone;
    };
    await one.begin();
    for (; now < 4 * signExpiry; now += 5000) {
      assert.equal(await isGone(watching), false, `after ${now} ms`);
      t.mock.timers.tick(5000);
      await new Promise(setImmediate);
    }
    // It is killed.
    await one.stop();
    for (const end = now + signExpiry - 1; now < end; now += 1000) assert.equal(await isGone(watching), false);
    assert.equal(await isGone(late), false, 'seen for the first time');
    now += 2000;
    assert.equal(await isGone(watching), true);
    assert.equal(await isGone(watching), true, 'as often as it is asked');
    assert.equal(await isGone(late), false);
    now += signExpiry;
    assert.equal(await isGone(late), true);
    assert.equal(await one.isGone('one'), false, 'itself');
  });

test('a server without a sign, with one of the day before, or on a database of one process is gone at once', async t => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: 1_800_000_000_000 });
  for (const [kv, isGone] of [
    [new MemoryKvStore('postgres'), false],
    [new MemoryKvStore('local'), true],
  ] as const) {
    const parts = { kv, log: silentLogger, partition: 'signs' };
    const [one, other] = [new SignsOfLife({ ...parts, instance: 'one' }), new SignsOfLife({ ...parts, instance: 'other' })];
    assert.equal(await other.isGone('one'), true);
    await one.begin();
    assert.equal(await other.isGone('one'), isGone);
    await one.stop();
    t.mock.timers.setTime(Date.now() + 86_400_001);
    assert.equal(await other.isGone('one'), true);
  }
});
