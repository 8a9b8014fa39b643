import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@srv/engine/client';
import { silentLogger } from '@srv/kernel';
import { startSrv } from '@srv/test-servers';
import { Collector } from '../src/server/collector.js';
import { startReceiver } from './receiver.js';
import type { TestContext } from 'node:test';
import type { Receiver } from './receiver.js';

async function receiverFor(t: TestContext, statuses?: number[]): Promise<Receiver> {
  const receiver = await startReceiver(statuses);
  t.after(() => receiver.close());
  return receiver;
}

function collector(address: string, options: Partial<ConstructorParameters<typeof Collector>[0]> = {}): Collector {
  return new Collector({
    address,
    flushInterval: 3_600_000,
    flushSize: 100,
    extended: false,
    installationId: 'the-installation',
    log: silentLogger,
    ...options,
  });
}

test('sends its events to the configured address, the last ones when it stops', async t => {
  const receiver = await receiverFor(t);
  const config = { 'stats.address': `${receiver.url}/`, 'stats.flush_interval': '1h' };
  const { url, key, kernel, stop } = await startSrv({ plugins: ['stats'], config });
  const client = createClient({ endpointUrl: url, ...key });
  await client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  for (let i = 0; i < 3; i++) await client.getRepository({ repository: 'lakes' });
  await client.uploadObject({ repository: 'lakes', branch: 'main', path: 'a', body: Buffer.alloc(1000) });
  await client.postStatsEvents({ body: { events: [{ class: 'page', name: 'opened', count: 7 }] } });
  const { installationId } = kernel.services.get('identity');
  client.close();
  await stop();

  const [installation, ...events] = receiver.posts;
  assert.deepEqual([installation?.path, installation?.body['installation_id']], ['/installation', installationId]);
  const entries = installation?.body['entries'] as { name: string; value: string }[];
  assert.deepEqual(
    entries.filter(({ name }) => name.endsWith('_type')),
    [
      { name: 'lakefs_kv_type', value: 'local' },
      { name: 'blockstore_type', value: 'local' },
    ],
  );
  assert.ok(events.length > 0 && events.every(({ path, body }) => path === '/events' && body['installation_id'] === installationId));
  const totals = receiver.totals();
  const counted = Object.fromEntries(Object.entries(totals).filter(([name]) => !name.startsWith('traffic/')));
  assert.deepEqual(counted, {
    'global/run': 1,
    'api_server/create_repository': 1,
    'api_server/get_repository': 3,
    'api_server/upload_object': 1,
    'api_server/post_stats_events': 1,
    'page/opened': 7,
  });
  assert.ok((totals['traffic/bytes_in'] ?? 0) >= 1000);
  assert.ok((totals['traffic/bytes_out'] ?? 0) > 0);
  // Names of repositories and users, and of clients that are not the product's own, stay here.
  for (const metric of receiver.metrics()) {
    assert.match(metric.client ?? 'srv-', /^srv-/);
    assert.deepEqual(
      Object.keys(metric).filter(field => !['class', 'name', 'value', 'client'].includes(field)),
      [],
    );
  }
});

test('without an address, or switched off, nothing listens', async () => {
  for (const config of [{}, { 'stats.address': 'http://127.0.0.1:9', 'stats.enabled': false }]) {
    const { kernel, stop } = await startSrv({ plugins: ['stats'], config });
    const taps = kernel.wiring()['activity'];
    await stop();
    assert.equal(taps, undefined);
  }
});

test('rejects an invalid address at start', async () => {
  for (const address of ['stats.example.com', 'ftp://x', 'https://user:pass@example.com']) {
    await assert.rejects(startSrv({ plugins: ['stats'], config: { 'stats.address': address } }), (error: Error) => {
      assert.match(error.message, /stats\.address: the value is not an address; write http/);
      assert.ok(!error.message.includes('pass@'));
      return true;
    });
  }
});

test('hashes names if they are sent at all', async t => {
  const receiver = await receiverFor(t);
  const extended = collector(receiver.url, { extended: true });
  extended.count({ class: 'api_server', name: 'diff_refs', repository: 'lakes', ref: 'main', sourceRef: 'main', user: 'abc', client: 'x' });
  extended.count({ class: 'api_server', name: 'diff_refs', repository: 'ponds', ref: 'main', client: 'x' });
  await extended.stop();
  const [first, second] = receiver.metrics();
  assert.deepEqual(Object.keys(first ?? {}), ['class', 'name', 'repository', 'ref', 'source_ref', 'user_id', 'client', 'value']);
  for (const name of ['repository', 'ref', 'source_ref', 'user_id'] as const) assert.match(first?.[name] ?? '', /^[0-9a-f]{16}$/);
  // The published test vector of xxHash64 without seed.
  assert.equal(first?.user_id, '44bc2cf5ad770999');
  assert.equal(first?.ref, first?.source_ref);
  assert.notEqual(first?.repository, second?.repository);
});

test('only clients of the product are named', async t => {
  const receiver = await receiverFor(t);
  const plain = collector(receiver.url);
  for (const client of ['lakefs-webui/1', 'lakefs-webui/1', 'curl/8', 'ann-laptop'])
    plain.count({ class: 'api_server', name: 'commit', client, repository: client });
  await plain.stop();
  assert.deepEqual(receiver.metrics(), [
    { class: 'api_server', name: 'commit', client: 'lakefs-webui/1', value: 2 },
    { class: 'api_server', name: 'commit', value: 2 },
  ]);
});

test('many different events are posted before the interval ends', async t => {
  const receiver = await receiverFor(t);
  const eager = collector(receiver.url, { flushSize: 5 });
  for (let i = 0; i < 5; i++) eager.count({ class: 'c', name: String(i) });
  await receiver.until(() => receiver.metrics().length === 5);
  await eager.stop();
});

test('a receiver that fails is asked again, one that refuses is not, and none holds up the server', async t => {
  const failing = await receiverFor(t, [503]);
  const patient = collector(failing.url);
  patient.count({ class: 'c', name: 'n' });
  await patient.flush();
  assert.deepEqual(failing.totals(), { 'c/n': 1 });
  const refusing = await receiverFor(t, [400]);
  const refused = collector(refusing.url);
  refused.count({ class: 'c', name: 'n' });
  await refused.flush();
  refused.count({ class: 'c', name: 'm' });
  await refused.stop();
  assert.deepEqual(refusing.totals(), { 'c/m': 1 });
  const gone = collector('http://127.0.0.1:9');
  gone.count({ class: 'c', name: 'n' });
  await gone.stop();
});

test('beyond capacity: memory is bounded however many different events a client reports', async t => {
  const receiver = await receiverFor(t);
  const flooded = collector(receiver.url, { flushSize: 1_000_000 });
  flooded.count({ class: 'c', name: 'x'.repeat(1000) });
  for (let i = 0; i < 20_000; i++) flooded.count({ class: 'c', name: String(i) });
  flooded.count({ class: 'c', name: '0', count: 5 });
  await flooded.stop();
  assert.equal(receiver.metrics().length, 8192);
  assert.equal(receiver.totals()['c/0'], 6);
});
