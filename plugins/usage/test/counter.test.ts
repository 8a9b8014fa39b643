import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError, silentLogger } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { UsageCounter } from '../src/server/counter.js';
import { UsageRecords, describeUsage, usagePartition } from '../src/server/usage-records.js';
import type { KvStore } from '@srv/kernel';

const id = '0b9c0c02-5d2c-4c4a-8a5a-0e3c8ab1d3f1';
const request = { class: 'api_server', name: 'get_object' };
const stored = async (kv: KvStore, month: string): Promise<string | undefined> =>
  (await kv.get(usagePartition, Buffer.from(`usage/monthly/${id}/${month}`)))?.value.toString();

function counterOn(kv: KvStore, now: () => number = Date.now): UsageCounter {
  return new UsageCounter({ records: new UsageRecords(kv, id), installationId: id, log: silentLogger, now });
}

test('requests are counted per month, across restarts and servers', async () => {
  const kv = new MemoryKvStore();
  let now = Date.parse('2026-08-31T23:59:59.999Z');
  const first = counterOn(kv, () => now);
  first.count(request);
  first.count({ class: 's3_gateway', name: 'put_object' });
  now = Date.parse('2026-09-01T00:00:00Z');
  first.count(request);
  await first.stop();
  const second = counterOn(kv, () => now);
  second.count(request);
  assert.deepEqual(await second.summary(), {
    installationId: id,
    reports: [
      { year: 2026, month: 8, count: 2 },
      { year: 2026, month: 9, count: 2 },
    ],
  });
});

test('a flush ends while requests arrive', async () => {
  const kv = new MemoryKvStore();
  const counter = counterOn(kv, () => Date.parse('2026-03-03T03:03:03Z'));
  const setIf = kv.setIf.bind(kv);
  let writes = 0;
  kv.setIf = (...args) => {
    // One more comes with each write.
    if (++writes < 20) counter.count(request);
    return setIf(...args);
  };
  counter.count(request);
  await counter.flush();
  assert.equal(writes, 1);
  await counter.flush();
  assert.equal(await stored(kv, '202603'), '2');
});

test('servers that store at the same time lose nothing', async () => {
  const kv = new MemoryKvStore();
  const servers = Array.from({ length: 5 }, () => counterOn(kv, () => Date.parse('2026-03-03T03:03:03Z')));
  for (const server of servers) for (let i = 0; i < 10; i++) server.count(request);
  await Promise.all(servers.map(server => server.flush()));
  assert.equal(await stored(kv, '202603'), '50');
});

test('does not count what is not a request, or only reported by a client', async () => {
  const kv = new MemoryKvStore();
  const counter = counterOn(kv);
  counter.count({ class: 'traffic', name: 'bytes_in', count: 1000 });
  counter.count({ class: 'actions_service', name: 'pre-commit' });
  counter.count({ ...request, count: 1_000_000, reported: true });
  assert.deepEqual((await counter.summary()).reports, []);
});

test('a failing store loses no counts', async () => {
  const kv = new MemoryKvStore();
  const setIf = kv.setIf.bind(kv);
  kv.setIf = () => Promise.reject(new SrvError('unavailable', 'no connection'));
  const counter = counterOn(kv, () => Date.parse('2026-01-01T00:00:00Z'));
  counter.count(request);
  await assert.rejects(counter.flush(), /no connection/);
  counter.count(request);
  kv.setIf = setIf;
  await counter.flush();
  assert.equal(await stored(kv, '202601'), '2');
});

test('records of other installations and broken ones do not spoil a report', async () => {
  const kv = new MemoryKvStore();
  const set = (key: string, value: string): Promise<void> => kv.set(usagePartition, Buffer.from(key), Buffer.from(value));
  await set(`usage/monthly/another/202601`, '1');
  await set(`usage/monthly/${id}/202513`, '1');
  await set(`usage/monthly/${id}/nonsense`, '1');
  await set(`usage/monthly/${id}/202512`, '17');
  await set(`usage/monthly/zzz/202601`, '1');
  assert.deepEqual((await counterOn(kv).summary()).reports, [{ year: 2025, month: 12, count: 17 }]);
});

test('an operator can read the records', () => {
  const entry = { key: Buffer.from(`usage/monthly/${id}/202512`), value: Buffer.from('17') };
  assert.deepEqual(describeUsage(usagePartition, entry), { count: 17 });
  assert.equal(describeUsage('auth', entry), undefined);
});

test('a report knows what servers that run as one have counted', async () => {
  const kv = new MemoryKvStore();
  const records = new UsageRecords(kv, id);
  const answers: ((question: unknown) => Promise<unknown>)[] = [];
  const peers = {
    group: 'three workers',
    handle: (_topic: string, answer: (question: unknown) => Promise<unknown>) => void answers.push(answer),
    request: async () => Promise.all(answers.map(answer => answer(undefined))),
  };
  const workers = [1, 2, 3].map(() => new UsageCounter({ records, installationId: id, log: silentLogger, peers }));
  for (const worker of workers) {
    worker.start(0);
    worker.count(request);
  }
  assert.deepEqual(
    (await workers[0]?.summary())?.reports.map(({ count }) => count),
    [3],
  );
  // One that does not answer in time costs its counts, not the report.
  peers.request = () => Promise.reject(new SrvError('timeout', 'too late'));
  workers[1]?.count(request);
  workers[0]?.count(request);
  assert.deepEqual(
    (await workers[0]?.summary())?.reports.map(({ count }) => count),
    [4],
  );
});
