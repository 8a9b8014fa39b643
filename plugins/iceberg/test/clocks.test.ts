/** Clients whose clocks are off: tables stay what Iceberg's Java library loads, and travel in time stays right. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { writeExact } from '../src/server/exact-json.js';
import { namespacePath, schema, startCatalog } from './support/server.js';
import { TableData } from './support/table-data.js';
import type { TableMetadata } from '../src/server/metadata/model.js';
import type { CatalogServer } from './support/server.js';

const minute = 60_000;
const sales = namespacePath('lake', 'main', 'sales');
let server: CatalogServer;
let data: TableData;
let count = 0;
let name = '';

before(async () => {
  server = await startCatalog();
  data = new TableData(server);
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
});
after(() => server.stop());
beforeEach(async () => {
  name = `t${++count}`;
  const { status, body } = await server.call('POST', `${sales}/tables`, { body: { name, schema } });
  assert.equal(status, 200, body);
});

const load = () => data.load({ ref: 'main', name });
const commit = (updates: readonly object[], table = name) =>
  server.call('POST', `${sales}/tables/${table}`, { body: { requirements: [], updates } });
const main = (id: number) => ({ action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': id });
const property = { action: 'set-properties', updates: { a: 'b' } };

async function append(id: number, time: number) {
  const { metadata } = await load();
  const list = `${metadata.location}/metadata/snap-${id}.avro`;
  await data.write(list, Buffer.from('not read'));
  const snapshot = {
    'snapshot-id': id,
    'sequence-number': id,
    'timestamp-ms': time,
    'manifest-list': list,
    summary: { operation: 'append' },
  };
  return commit([{ action: 'add-snapshot', snapshot }, main(id)]);
}

const timesOf = (log: readonly object[]): number[] => log.map(entry => (entry as { 'timestamp-ms': number })['timestamp-ms']);

/** Stricter than the library, which allows a minute. */
function assertLoadable(metadata: TableMetadata): void {
  for (const log of [metadata['snapshot-log'], metadata['metadata-log']]) {
    const times = [...timesOf(log), Number(metadata['last-updated-ms'])];
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  }
}

test('a snapshot of a client whose clock is minutes ahead is refused with both times', async () => {
  const before = Date.now();
  const time = before + 10 * minute;
  const { status, body } = await append(1, time);
  assert.equal(status, 400, body);
  const [, now] = new RegExp(`timestamp-ms ${time} of snapshot 1 is in the future: it is (\\d+) here; set the clock`).exec(body) ?? [];
  assert.ok(Number(now) >= before, body);
  assert.deepEqual((await load()).metadata.snapshots, []);
});

test('a snapshot of a client whose clock is seconds ahead is taken, and later changes are not before it', async () => {
  const time = Date.now() + minute / 2;
  assert.equal((await append(1, time)).status, 200);
  assertLoadable((await load()).metadata);
  assert.equal((await commit([property])).status, 200);
  const { metadata } = await load();
  assertLoadable(metadata);
  assert.deepEqual(timesOf(metadata['snapshot-log']), [time]);
});

test('a snapshot of a client whose clock is late keeps its time, and the log of the table does not fall', async () => {
  const time = Date.now();
  assert.equal((await append(1, time)).status, 200);
  for (const [id, late] of [
    [2, time - 10 * minute],
    [3, 9],
  ] as const) {
    assert.equal((await append(id, late)).status, 200); // biome-ignore format: a list
    const { metadata } = await load();
    assertLoadable(metadata);
    assert.equal(metadata.snapshots.at(-1)?.['timestamp-ms'], late);
  }
  assert.deepEqual(timesOf((await load()).metadata['snapshot-log']), [time, time, time]);
});

test('a table whose logs fall already becomes loadable with its next change', async () => {
  const time = Date.now();
  for (const id of [1, 2]) assert.equal((await append(id, time)).status, 200);
  const { metadata } = await load();
  const ahead = time + 10 * minute;
  const [first, second] = metadata['snapshot-log'];
  const falling = { ...metadata, 'snapshot-log': [{ ...first, 'timestamp-ms': ahead }, second], 'last-updated-ms': 5 };
  const address = `${metadata.location}/metadata/00009-falling.metadata.json`;
  await data.write(address, Buffer.from(writeExact(falling)));
  const old = `${name}-old`;
  const registered = await server.call('POST', `${sales}/register`, { body: { name: old, 'metadata-location': address } });
  assert.equal(registered.status, 200, registered.body);
  const answer = await commit([property], old);
  assert.equal(answer.status, 200, answer.body);
  const changed = (await data.load({ ref: 'main', name: old })).metadata;
  assertLoadable(changed);
  assert.deepEqual(timesOf(changed['snapshot-log']), [ahead, ahead]);
});

test('a rollback has the time at which it happened', async () => {
  const past = Date.now() - 10 * minute;
  for (const id of [1, 2]) assert.equal((await append(id, past + id)).status, 200);
  const before = Date.now();
  assert.equal((await commit([main(1)])).status, 200);
  const { metadata } = await load();
  const [first, second, third] = timesOf(metadata['snapshot-log']);
  assert.deepEqual([first, second], [past + 1, past + 2]);
  assert.ok(third !== undefined && third >= before && third <= Date.now(), String(third));
  assertLoadable(metadata);
});
