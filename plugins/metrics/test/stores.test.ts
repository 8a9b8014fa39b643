/** What is counted of stores. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import blockMem from '@srv/block-mem/plugin';
import { SrvError, absent, present } from '@srv/kernel';
import { MemoryKvStore, collect, createTestKernel, rejectsWith } from '@srv/kernel/testing';
import { ReadyStream, identifierType } from '@srv/lib-stores/block';
import section from '../src/config.js';
import { measureBlockStore } from '../src/server/block-store.js';
import { Exposition } from '../src/server/exposition.js';
import plugin from '../src/server/index.js';
import { MeasuredKvStore } from '../src/server/kv-store.js';
import { MetricsRegistry } from '../src/server/registry.js';
import { parseMetrics } from '../src/testing/text-format.js';
import type { KvStore } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { MetricsPage } from '../src/testing/text-format.js';

const key = Buffer.from('k');
const pointer = (identifier: string) => ({ namespace: 'mem://bucket', identifier, identifierType: identifierType.relative });

async function open(store?: { kv?: KvStore }) {
  const kernel = await createTestKernel({ plugins: [{ plugin, section }, blockMem], ...store });
  const registry = kernel.services.get('metrics');
  assert.ok(registry instanceof MetricsRegistry);
  const exposition = new Exposition(registry);
  const scrape = async (): Promise<MetricsPage> => parseMetrics(await exposition.text());
  return { kv: kernel.services.get('kv'), block: kernel.services.get('block'), scrape, stop: () => kernel.stop() };
}

test('requests to the key-value store, and those that fail', async () => {
  const { kv, scrape, stop } = await open();
  await kv.set('p', key, Buffer.from('1'));
  const found = await kv.get('p', key);
  assert.ok(found);
  assert.equal(await kv.get('p', Buffer.from('other')), undefined);
  assert.equal(await kv.setIf('p', key, Buffer.from('2'), found.predicate), true);
  assert.equal(await kv.setIf('p', key, Buffer.from('3'), absent), false);
  assert.equal(await kv.setIf('p', key, Buffer.from('3'), present), true);
  await kv.delete('p', key);
  await rejectsWith(() => kv.set('', key, key), 'invalid');
  const page = await scrape();
  const counts = ['Get', 'Set', 'SetIf', 'Delete', 'Scan'].map(operation => [
    page.value('kv_request_duration_seconds_count', { type: kv.type, operation }),
    page.value('kv_request_failures_total', { type: kv.type, operation }),
  ]);
  assert.deepEqual(counts, [
    [2, 1],
    [2, 1],
    [3, 1],
    [1, 0],
    [0, 0],
  ]);
  assert.equal(page.samples('kv_request_duration_seconds_bucket').filter(({ labels }) => labels['operation'] === 'Get').length, 11);
  await stop();
});

test('records that are written together are one request, where the store can', async () => {
  const metrics = new MetricsRegistry();
  assert.equal(new MeasuredKvStore(new MemoryKvStore('local', true), metrics).setIfWith, undefined);
  const { kv, scrape, stop } = await open({ kv: new MemoryKvStore('local') });
  const [one, other] = ['one', 'other'].map(name => ({ partition: 'p', key: Buffer.from(name), value: key }));
  assert.ok(one && other && kv.setIfWith);
  assert.equal(await kv.setIfWith(one, absent, [other]), true);
  assert.equal(await kv.setIfWith(one, absent, [other]), false);
  assert.equal((await collect(kv.scan('p'))).length, 2);
  const page = await scrape();
  assert.equal(page.value('kv_request_duration_seconds_count', { type: kv.type, operation: 'SetIf' }), 2);
  assert.equal(page.value('kv_request_failures_total', { type: kv.type, operation: 'SetIf' }), 1);
  await stop();
});

test('a measured block store has every member of the wrapped one', async () => {
  // The compiler names what is missing here.
  const members: Readonly<Record<Exclude<keyof BlockStore, 'stores'>, true>> = {
    type: true,
    info: true,
    resolve: true,
    checkReadable: true,
    put: true,
    putFile: true,
    get: true,
    exists: true,
    properties: true,
    remove: true,
    removeAll: true,
    copy: true,
    createMultipart: true,
    uploadPart: true,
    copyPart: true,
    listParts: true,
    completeMultipart: true,
    abortMultipart: true,
    preSign: true,
    preSignPart: true,
    preSignUpload: true,
    walk: true,
    openUploads: true,
    region: true,
    vend: true,
    close: true,
  };
  const asked: string[] = [];
  const whole = Object.fromEntries(Object.keys(members).map(name => [name, () => asked.push(name)]));
  const behind = Object.assign({} as BlockStore, whole, { type: 'mem', info: {} });
  const measured = measureBlockStore(behind, new MetricsRegistry());
  assert.deepEqual(
    Object.keys(members).filter(name => !(name in measured)),
    [],
  );
  await measured.checkReadable?.(pointer('a'));
  assert.deepEqual(asked, ['checkReadable']);
  const { region: _, checkReadable: __, openUploads: ___, putFile: ____, vend: _____, ...plain } = behind;
  const without = measureBlockStore(plain, new MetricsRegistry());
  assert.deepEqual(
    ['region', 'checkReadable', 'openUploads', 'putFile', 'vend'].filter(name => name in without),
    [],
    'members that it lacks are absent',
  );
});

test('a scan counts once for every page, and leaving it closes the store’s own', async () => {
  let closed = 0;
  class Paged extends MemoryKvStore {
    override async *scan() {
      try {
        for (const letter of 'abc') yield [{ key: Buffer.from(letter), value: key }];
        throw new SrvError('unavailable', 'the last page fails');
      } finally {
        closed++;
      }
    }
  }
  const registry = new MetricsRegistry();
  const kv = new MeasuredKvStore(new Paged(), registry);
  for await (const page of kv.scan('p')) {
    assert.equal(page.length, 1);
    break;
  }
  assert.equal(closed, 1);
  await rejectsWith(() => collect(kv.scan('p')), 'unavailable');
  assert.equal(closed, 2);
  const page = parseMetrics(await new Exposition(registry).text());
  assert.equal(page.value('kv_request_duration_seconds_count', { operation: 'Scan' }), 5);
  assert.equal(page.value('kv_request_failures_total', { operation: 'Scan' }), 1);
});

test('operations of the block store, their sizes, and those under way', async () => {
  const { block, scrape, stop } = await open();
  const count = (page: MetricsPage, operation: string, error = 'false') =>
    page.value('mem_operation_duration_seconds_count', { operation, error, storage_id: '' });
  const concurrent = (page: MetricsPage, operation: string) =>
    page.value('blockstore_concurrent_operations', { operation, blockstore_type: 'mem' });
  // Large enough to be a stream: a small one would be there at once.
  await block.put(pointer('a'), Buffer.alloc(100_000));
  await block.put(pointer('b'), Readable.from([Buffer.alloc(7)], { objectMode: false }), { size: 7 });
  await rejectsWith(() => block.get(pointer('missing')), 'no_data');

  const read = await block.get(pointer('a'));
  const under = await scrape();
  assert.deepEqual([concurrent(under, 'get'), count(under, 'get'), count(under, 'get', 'true')], [1, 0, 1]);
  assert.equal((await buffer(read)).length, 100_000);
  assert.equal((await buffer(await block.get(pointer('a'), { range: { start: 10, end: 29 } }))).length, 20);
  const left = await block.get(pointer('a'));
  left.destroy();
  await new Promise(resolve => left.once('close', resolve));
  const aborter = new AbortController();
  const cancelled = await block.get(pointer('a'), { signal: aborter.signal });
  const failure = buffer(cancelled).catch((error: unknown) => error);
  aborter.abort();
  await failure;

  await collect(block.walk('mem://bucket/'));
  await block.exists(pointer('missing'));
  const { uploadId } = await block.createMultipart(pointer('m'));
  const { etag } = await block.uploadPart(pointer('m'), uploadId, 1, Buffer.alloc(3));
  await block.copyPart(pointer('a'), pointer('m'), uploadId, 2, { start: 0, end: 0 });
  await block.completeMultipart(pointer('m'), uploadId, [{ partNumber: 1, etag }]);
  const page = await scrape();
  assert.deepEqual(
    [
      'put',
      'get',
      'get_range',
      'walk',
      'exists',
      'create_multipart_upload',
      'upload_part',
      'upload_copy_part_range',
      'complete_multipart_upload',
    ].map(name => count(page, name)),
    [2, 3, 1, 2, 1, 1, 1, 1, 1],
  );
  assert.equal(page.value('blockstore_concurrent_operations'), 0);
  const size = (operation: string) => page.value('mem_operation_size_bytes_sum', { operation });
  assert.deepEqual([size('put'), size('get_range'), size('upload_part')], [100_007, 20, 3]);
  assert.equal(page.value('mem_operation_size_bytes_count', { operation: 'exists' }), 0);
  assert.equal(
    page.samples('mem_operation_size_bytes_bucket').filter(({ labels }) => labels['operation'] === 'put' && labels['error'] === 'false')
      .length,
    11,
  );
  await stop();
});

test('a read that fails half-way is an error', async () => {
  const registry = new MetricsRegistry();
  const broken: Pick<BlockStore, 'type' | 'get'> = {
    type: 'mem',
    get: async () =>
      new Readable({
        read() {
          this.push(Buffer.alloc(100));
          this.destroy(new Error('disk'));
        },
      }),
  };
  const block = measureBlockStore(broken as BlockStore, registry);
  await assert.rejects(async () => buffer(await block.get(pointer('a'))), /disk/);
  const page = parseMetrics(await new Exposition(registry).text());
  assert.equal(page.value('mem_operation_duration_seconds_count', { operation: 'get', error: 'true' }), 1);
  assert.equal(page.value('mem_operation_size_bytes_sum', { operation: 'get', error: 'true' }), 100);
  assert.equal(page.value('blockstore_concurrent_operations'), 0);
});

test('a store with regions keeps them, one without has none', async () => {
  const { block, stop } = await open();
  assert.equal('region' in block, false);
  const inner = { type: 's3', region: async (namespace: string) => `region of ${namespace}` };
  const measured = measureBlockStore(inner as unknown as BlockStore, new MetricsRegistry());
  assert.equal(await measured.region?.('s3://b'), 'region of s3://b');
  await stop();
});

test('counts content that is there at once, whether the stream is read or not', async () => {
  const metrics = new MetricsRegistry();
  const store: Pick<BlockStore, 'type' | 'get'> = { type: 'mem', get: async () => new ReadyStream(Buffer.alloc(30)) };
  const block = measureBlockStore(store as BlockStore, metrics);
  (await block.get(pointer('a'))).destroy();
  assert.equal((await buffer(await block.get(pointer('a')))).length, 30);
  const page = parseMetrics(await new Exposition(metrics).text());
  assert.equal(page.value('mem_operation_duration_seconds_count', { operation: 'get', error: 'false' }), 2);
  assert.equal(page.value('mem_operation_size_bytes_sum', { operation: 'get', error: 'false' }), 60);
});
