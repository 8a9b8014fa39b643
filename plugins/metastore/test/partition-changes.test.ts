import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareAll } from '../src/copy/partition-changes.js';
import type { Partition } from '../src/tables.js';

const partition = (values: readonly string[], lastAccessTime = 0): Partition => ({
  dbName: 'd',
  tableName: 't',
  values: [...values],
  lastAccessTime,
});
async function* pageOf(...all: Partition[]) {
  yield all;
}

test('partitions differ by their values, also where those read the same', async () => {
  const alike = [
    ['us-east', '1'],
    ['us', 'east-1'],
    ['us-east-1', ''],
  ];
  const all = alike.map(values => partition(values));
  const copied = await compareAll(pageOf(...all), pageOf());
  assert.equal(copied.added.length, 3);
  const [first, second, third] = all as [Partition, Partition, Partition];
  const changes = await compareAll(pageOf(first, partition(['us', 'east-1'], 5)), pageOf(second, third));
  assert.deepEqual(
    [changes.added, changes.altered, changes.dropped].map(found => found.map(({ values }) => values)),
    [[['us-east', '1']], [['us', 'east-1']], [['us-east-1', '']]],
  );
});
