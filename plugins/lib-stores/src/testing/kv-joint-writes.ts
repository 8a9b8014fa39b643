/** Cases of the key-value suite about records that are written together, for stores that can. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { absent, present } from '@srv/kernel';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { bytes, newPartition } from './kv-case.js';
import type { KvRecord, KvStore } from '@srv/kernel';
import type { KvCase } from './kv-case.js';

export function kvJointWriteCases({ store }: KvCase): void {
  const record = (partition: string, key: string, value: string): KvRecord => ({ partition, key: bytes(key), value: bytes(value) });
  const contents = async (partition: string): Promise<string[]> =>
    (await collect(store().scan(partition))).map(({ key, value }) => `${key.toString()}=${value.toString()}`);
  type Joint = NonNullable<KvStore['setIfWith']>;
  const joint = (...given: Parameters<Joint>): Promise<boolean> | undefined => store().setIfWith?.(...given);

  it('setIfWith writes all records or none', async () => {
    if (!store().setIfWith) return;
    const [one, two] = [newPartition(), newPartition()];
    assert.equal(await joint(record(one, 'k', '1'), present, [record(one, 'a', '1'), record(two, 'b', '1')]), false);
    assert.deepEqual([await contents(one), await contents(two)], [[], []]);
    assert.equal(await joint(record(one, 'k', '2'), absent, [record(one, 'a', '2'), record(two, 'b', '2')]), true);
    assert.deepEqual([await contents(one), await contents(two)], [['a=2', 'k=2'], ['b=2']]);
    const read = await store().get(one, bytes('k'));
    assert.ok(read);
    assert.equal(await joint(record(one, 'k', '3'), read.predicate, [record(one, 'a', '3')]), true);
    assert.equal(await joint(record(one, 'k', '4'), read.predicate, [record(two, 'b', '4')]), false);
    assert.deepEqual([await contents(one), await contents(two)], [['a=3', 'k=3'], ['b=2']]);
  });

  it('what setIfWith wrote counts for the writes that follow, and one of several wins', async () => {
    if (!store().setIfWith) return;
    const partition = newPartition();
    const [first, second, third] = await Promise.all([
      joint(record(partition, 'k', '1'), absent, [record(partition, 'a', '1')]),
      store().setIf(partition, bytes('a'), bytes('2'), absent),
      joint(record(partition, 'k', '3'), absent, [record(partition, 'c', '3')]),
    ]);
    // A database may take the three in any order.
    assert.equal(first, !third);
    if (third) assert.equal(second, true);
    assert.deepEqual(await contents(partition), first ? ['a=1', 'k=1'] : ['a=2', 'c=3', 'k=3']);
  });

  it('setIfWith refuses a bad record and writes nothing', async () => {
    if (!store().setIfWith) return;
    const partition = newPartition();
    const bad = [
      [record(partition, 'k', '1'), [record('', 'a', '1')]],
      [record(partition, 'k', '1'), [record(partition, '', '1')]],
      [record(partition, '', '1'), [record(partition, 'a', '1')]],
    ] as const;
    for (const [one, further] of bad) await rejectsWith(async () => joint(one, absent, further), 'invalid', /missing/);
    assert.deepEqual(await contents(partition), []);
  });
}
