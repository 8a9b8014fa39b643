/** Cases of the key-value suite about reading and writing, and about what is refused. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { absent, isSrvError, present } from '@srv/kernel';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { byteOrder, bytes, newPartition } from './kv-case.js';
import type { KvCase } from './kv-case.js';

export function kvValueCases({ store }: KvCase, maxValueBytes: number): void {
  it('reads undefined from an unknown partition and for an unknown key', async () => {
    const partition = newPartition();
    assert.equal(await store().get(partition, bytes('k')), undefined);
    await store().set(partition, bytes('k'), bytes('v'));
    assert.equal(await store().get(partition, bytes('other')), undefined);
  });

  it('reads what was written, and the latest value after an overwrite', async () => {
    const partition = newPartition();
    for (const value of ['one', 'two', '']) {
      await store().set(partition, bytes('k'), bytes(value));
      assert.deepEqual((await store().get(partition, bytes('k')))?.value, bytes(value));
    }
  });

  it('deletes a key; deleting an absent key or in an unknown partition succeeds', async () => {
    const partition = newPartition();
    await store().delete(partition, bytes('k'));
    await store().set(partition, bytes('k'), bytes('v'));
    await store().delete(partition, bytes('k'));
    await store().delete(partition, bytes('k'));
    assert.equal(await store().get(partition, bytes('k')), undefined);
    assert.deepEqual(await collect(store().scan(partition)), []);
  });

  it('keeps binary keys and values as they are', async () => {
    const partition = newPartition();
    const keys = [[0], [0, 0], [0, 255], [255], [255, 255], [47], [0x80, 0xc3, 0x28], [97, 0, 98]].map(k => Buffer.from(k));
    for (const key of keys) await store().set(partition, key, Buffer.concat([key, Buffer.from([0, 255])]));
    for (const key of keys) assert.deepEqual((await store().get(partition, key))?.value, Buffer.concat([key, Buffer.from([0, 255])]));
    assert.deepEqual(
      (await collect(store().scan(partition))).map(e => e.key),
      [...keys].sort(byteOrder),
    );
  });

  it('keeps keys of 1,024 bytes', async () => {
    const partition = newPartition();
    const keys = ['a', 'b'].map(last => bytes('k'.repeat(1023) + last));
    for (const key of keys) await store().set(partition, key, key.subarray(-1));
    for (const key of keys) assert.deepEqual((await store().get(partition, key))?.value, key.subarray(-1));
  });

  it(`keeps values of ${maxValueBytes} bytes`, async () => {
    const partition = newPartition();
    const value = Buffer.alloc(maxValueBytes - 1024, 'x\u0000y');
    await store().set(partition, bytes('large'), value);
    const read = await store().get(partition, bytes('large'));
    assert.ok(read);
    assert.ok(read.value.equals(value), 'the value read is the value written');
    assert.equal(await store().setIf(partition, bytes('large'), bytes('small'), read.predicate), true);
    assert.deepEqual((await store().get(partition, bytes('large')))?.value, bytes('small'));
  });

  it('separates partitions: prefixes of each other, separators, empty-looking names', async () => {
    const tail = newPartition();
    const places: readonly (readonly [string, string])[] = [
      [`${tail}a`, 'b/c'],
      [`${tail}a/b`, 'c'],
      [`${tail}a/b/c`, '/'],
      [`${tail}a`, '/b/c'],
      [`${tail}a/`, 'b/c'],
      [`${tail}a\u0000`, 'b'],
      [`${tail}a`, '\u0000b'],
      [tail, 'a/b/c'],
      [tail, 'a'],
      [`${tail}é`, 'c'],
    ];
    for (const [partition, key] of places) await store().set(partition, bytes(key), bytes(`${partition}|${key}`));
    for (const [partition, key] of places) {
      assert.deepEqual((await store().get(partition, bytes(key)))?.value, bytes(`${partition}|${key}`));
    }
    for (const partition of new Set(places.map(([p]) => p))) {
      const expected = places
        .filter(([p]) => p === partition)
        .map(([, key]) => key)
        .sort();
      assert.deepEqual(
        (await collect(store().scan(partition))).map(e => e.key.toString()),
        expected,
      );
    }
  });
}

export function kvRefusalCases({ store }: KvCase): void {
  const missing = undefined as unknown as Buffer;
  const empty = Buffer.alloc(0);

  it('refuses an empty partition first, then an empty key, then a missing value', async () => {
    const partition = newPartition();
    await rejectsWith(() => store().get('', empty), 'invalid', /missing partition key/);
    await rejectsWith(() => store().set('', empty, missing), 'invalid', /missing partition key/);
    await rejectsWith(() => store().setIf('', empty, missing, absent), 'invalid', /missing partition key/);
    await rejectsWith(() => store().delete('', empty), 'invalid', /missing partition key/);
    await rejectsWith(() => collect(store().scan('')), 'invalid', /missing partition key/);
    for (const key of [empty, missing]) {
      await rejectsWith(() => store().get(partition, key), 'invalid', /missing key/);
      await rejectsWith(() => store().set(partition, key, missing), 'invalid', /missing key/);
      await rejectsWith(() => store().setIf(partition, key, missing, present), 'invalid', /missing key/);
      await rejectsWith(() => store().delete(partition, key), 'invalid', /missing key/);
    }
    await rejectsWith(() => store().set(partition, bytes('k'), missing), 'invalid', /missing value/);
    await rejectsWith(() => store().setIf(partition, bytes('k'), missing, absent), 'invalid', /missing value/);
  });

  it('a cancelled request reports cancellation or succeeds', async () => {
    const partition = newPartition();
    const aborted = AbortSignal.abort();
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store().get(partition, bytes('k'), aborted),
      () => store().set(partition, bytes('k'), bytes('v'), aborted),
      () => store().setIf(partition, bytes('k'), bytes('v'), present, aborted),
      () => store().delete(partition, bytes('k'), aborted),
      () => collect(store().scan(partition, { signal: aborted })),
    ];
    for (const call of calls) await call().catch((error: unknown) => assert.ok(isSrvError(error, 'cancelled'), String(error)));
  });

  it('a request cancelled on its way reports cancellation or has succeeded', async () => {
    const partition = newPartition();
    const controller = new AbortController();
    const keys = Array.from({ length: 50 }, (_, i) => bytes(`k${i}`));
    const writes = keys.map(key => store().set(partition, key, bytes('v'), controller.signal));
    controller.abort();
    const outcomes = await Promise.allSettled(writes);
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') assert.ok(isSrvError(outcome.reason, 'cancelled'), String(outcome.reason));
      else assert.ok(await store().get(partition, keys[i] ?? empty), `acknowledged write ${i} is there`);
    }
  });
}
