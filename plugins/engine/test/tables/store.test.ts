import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import blockMem from '@srv/block-mem/plugin';
import { isSrvError } from '@srv/kernel';
import { createTestKernel, rejectsWith } from '@srv/kernel/testing';
import { orAborted } from '@srv/lib-stores/block';
import { createTestMetrics } from '@srv/metrics/testing';
import section from '../../src/config.js';
import plugin from '../../src/server/index.js';
import { pagesOf, recordOf } from './memory-tables.js';
import type { TestContext } from 'node:test';
import type { Kernel, Plugin } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Change, CommittedStore, Comparison } from '../../src/tables/contract.js';

const namespace = 'mem://bucket/repo';

interface Fixture {
  readonly kernel: Kernel;
  readonly store: CommittedStore;
  readonly block: BlockStore;
  readonly folder: string;
}

interface Given {
  readonly folder: string;
  readonly block: BlockStore;
  readonly measuring?: Plugin;
}

async function open(t: TestContext, config: Record<string, unknown> = {}, given?: Given): Promise<Fixture> {
  const folder = given?.folder ?? (await mkdtemp(join(tmpdir(), 'committed-')));
  const kernel = await createTestKernel({
    plugins: [{ plugin: blockMem }, ...(given?.measuring ? [{ plugin: given.measuring }] : []), { plugin, section }],
    config: {
      'committed.warm_up': false,
      'committed.local_cache.dir': folder,
      'committed.permanent.range_raggedness_entries': 100,
      ...config,
    },
    block: given?.block,
  });
  t.after(async () => {
    await kernel.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return { kernel, store: kernel.services.get('engine').tables, block: kernel.services.get('block'), folder };
}

function changesOf(count: number, version = 'A'): Change[] {
  return Array.from({ length: count }, (_, i) => ({ key: keyOf(i), value: recordOf(version, `data-${i}`) }));
}

function keyOf(i: number): Buffer {
  return Buffer.from(`dir/${String(i).padStart(6, '0')}`);
}

async function build(store: CommittedStore, changes: Change[], base = ''): Promise<string> {
  return (await store.apply({ namespace, base, changes: pagesOf(changes) })).metarangeId;
}

async function cachedFiles(folder: string, kind: string): Promise<string[]> {
  const entries = await readdir(join(folder, kind), { recursive: true, withFileTypes: true });
  return entries.filter(e => e.isFile()).map(e => join(e.parentPath ?? e.path, e.name));
}

/** Of this process; none where the system does not show them. */
function openFilesIn(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap(descriptor => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // It was that of the listing.
      return [];
    }
  });
}

describe('committed store', () => {
  it('writes, finds, walks, compares and merges', async t => {
    const { store } = await open(t);
    const base = await build(store, changesOf(1000));
    assert.deepEqual(await store.get(namespace, base, keyOf(567)), recordOf('A', 'data-567'));
    assert.equal(await store.get(namespace, base, Buffer.from('dir/')), undefined);
    assert.equal(await store.get(namespace, '', keyOf(1)), undefined);
    const cursor = await store.cursor(namespace, base);
    await cursor.seek(keyOf(500));
    let walked = 0;
    for (; cursor.valid; walked++) await cursor.next();
    cursor.close();
    assert.equal(walked, 500);
    const source = await build(
      store,
      [
        { key: keyOf(10), value: recordOf('B') },
        { key: keyOf(20), value: undefined },
      ],
      base,
    );
    const destination = await build(store, [{ key: keyOf(900), value: recordOf('C') }], base);
    const found = [];
    for await (const page of store.diff({ namespace, left: destination, right: source, base }))
      found.push(...page.map(d => [d.type, d.key.toString()]));
    assert.deepEqual(found, [
      ['changed', 'dir/000010'],
      ['removed', 'dir/000020'],
    ]);
    const types = async (left: string, right: string): Promise<string[]> => {
      const all: string[] = [];
      for await (const page of store.diff({ namespace, left, right, base })) all.push(...page.map(({ type }) => type));
      return all;
    };
    assert.deepEqual(await types(base, source), ['changed', 'removed'], 'the left side is the base');
    assert.deepEqual(await types(source, base), [], 'the right side is the base');
    const merged = await store.merge({ namespace, destination, source, base, strategy: 'none' });
    assert.deepEqual(await store.get(namespace, merged, keyOf(900)), recordOf('C'));
    assert.equal(await store.get(namespace, merged, keyOf(20)), undefined);
    const clash = await build(store, [{ key: keyOf(10), value: recordOf('D') }], base);
    await assert.rejects(
      store.merge({ namespace, destination: clash, source, base, strategy: 'none' }),
      error => isSrvError(error, 'conflict') && error.details['path'] === 'dir/000010',
    );
    const imported = await store.replace({
      namespace,
      base,
      added: await build(store, [{ key: Buffer.from('dir/1/x'), value: recordOf('I') }]),
      prefixes: ['dir/0008'],
      keys: ['dir/000001'],
    });
    assert.equal(await store.get(namespace, imported, keyOf(1)), undefined);
    assert.equal(await store.get(namespace, imported, keyOf(850)), undefined);
    assert.deepEqual(await store.get(namespace, imported, Buffer.from('dir/1/x')), recordOf('I'));
  });

  it('equal content has an equal id and is not uploaded twice', async t => {
    const { store, block } = await open(t);
    const puts: string[] = [];
    const put = block.put.bind(block);
    block.put = (pointer, ...rest) => {
      puts.push(pointer.identifier);
      return put(pointer, ...rest);
    };
    const first = await build(store, changesOf(300));
    const uploads = puts.length;
    assert.equal(await build(store, changesOf(300)), first);
    assert.equal(puts.length, uploads);
  });

  it('many readers of a missing copy share one download; a namespace does not answer for another', async t => {
    const first = await open(t);
    const id = await build(first.store, changesOf(300));
    const { store } = await open(t, {}, { folder: await mkdtemp(join(tmpdir(), 'committed-')), block: first.block });
    const reads: string[] = [];
    const get = first.block.get.bind(first.block);
    first.block.get = (pointer, ...rest) => {
      reads.push(pointer.identifier);
      return get(pointer, ...rest);
    };
    await Promise.all(Array.from({ length: 50 }, () => store.get(namespace, id, keyOf(7))));
    assert.equal(new Set(reads).size, reads.length, 'a file was downloaded twice');
    await assert.rejects(
      store.get('mem://bucket/other', id, keyOf(7)),
      error => isSrvError(error, 'no_data') && error.message.includes('mem://bucket/other'),
    );
  });

  it('copies survive a restart, damaged ones are fetched again', async t => {
    const first = await open(t);
    const id = await build(first.store, changesOf(300));
    first.block.close = () => Promise.resolve();
    await first.kernel.stop();
    const files = await cachedFiles(first.folder, 'range');
    assert.ok(files.length > 0);
    const [damaged = ''] = files;
    await writeFile(damaged, (await readFile(damaged)).fill(0x7f, 10, 40));
    for (const file of files.slice(1)) await rm(file);
    const [metarange = ''] = await cachedFiles(first.folder, 'meta-range');
    await writeFile(metarange, 'no table');
    const { store } = await open(t, {}, { folder: first.folder, block: first.block });
    for (let i = 0; i < 300; i++) assert.ok(await store.get(namespace, id, keyOf(i)), `key ${i}`);
  });

  it('counts uses of copies, downloads and evictions', async t => {
    const first = await open(t);
    const id = await build(first.store, changesOf(300));
    const { plugin: measuring, scrape } = createTestMetrics();
    const count = async (name: string, labels: Record<string, string> = {}) => (await scrape()).value(name, labels);
    // Smaller than a range: it is let go as soon as the next comes.
    const small = { 'committed.local_cache.size_bytes': 6000, 'committed.permanent.min_range_size_bytes': 1024 };
    const { store } = await open(t, small, { folder: await mkdtemp(join(tmpdir(), 'committed-')), block: first.block, measuring });
    await store.get(namespace, id, keyOf(7));
    const missed = await count('tier_fs_cache_hits_total', { status: 'Miss' });
    assert.ok(missed >= 2, 'a range and a metarange');
    assert.equal(await count('tier_fs_download_bytes_count'), missed);
    for (const fsName of ['range', 'meta-range']) assert.ok((await count('tier_fs_download_bytes_sum', { fsName })) > 100, fsName);
    await build(store, changesOf(300));
    assert.equal(await count('tier_fs_errors_total'), 0);
    await assert.rejects(store.get(namespace, 'ab'.repeat(32), keyOf(7)), error => isSrvError(error, 'no_data'));
    assert.equal(await count('tier_fs_errors_total', { fsName: 'meta-range', type: 'download' }), 1);
    await build(store, changesOf(2000));
    assert.ok((await count('tier_fs_eviction_bytes_count', { fsName: 'range' })) > 0);

    // The copies of the first are there: reading them is a hit, writing them again is known.
    const again = createTestMetrics();
    const warm = await open(t, {}, { folder: first.folder, block: first.block, measuring: again.plugin });
    await warm.store.get(namespace, id, keyOf(7));
    assert.equal(await build(warm.store, changesOf(300)), id);
    const page = await again.scrape();
    const uses = (status: string) => page.value('tier_fs_cache_hits_total', { fsName: 'range', status });
    assert.deepEqual([uses('Hit'), uses('Exists') > 0, uses('Miss')], [1, true, 0]);
  });

  it('a walk, a comparison and a merge keep open what they are in, however many ranges they come past', async t => {
    const { store, folder } = await open(t, { 'committed.local_cache.range.open_readers': 2 });
    const [base, left] = [await build(store, changesOf(6000)), await build(store, changesOf(6000, 'B'))];
    const right = await build(store, [{ key: keyOf(0), value: undefined }], base);
    let ranges = 0;
    for await (const page of store.ranges(namespace, base)) ranges += page.length;
    assert.ok(ranges > 30, `${ranges} ranges`);
    let most = 0;
    const count = (): void => {
      most = Math.max(most, openFilesIn(folder).length);
    };
    const cursor = await store.cursor(namespace, base);
    await cursor.seek(Buffer.alloc(0));
    for (; cursor.valid; await cursor.next()) count();
    cursor.close();
    for await (const page of store.diff({ namespace, left: base, right: left })) {
      assert.ok(page.length > 0);
      count();
    }
    for await (const _ of store.diff({ namespace, left, right, base })) count();
    const timer = setInterval(count, 1);
    await store.merge({ namespace, destination: left, source: right, base, strategy: 'dest-wins' });
    clearInterval(timer);
    assert.ok(most <= 20, `${most} files were open at once`);
  });

  it('a comparison in which one side has changed nothing ends when its caller leaves', async t => {
    const { store } = await open(t);
    const [base, left] = [await build(store, changesOf(20_000)), await build(store, changesOf(20_000, 'B'))];
    const right = await build(store, [{ key: keyOf(0), value: undefined }], base);
    const controller = new AbortController();
    const differences = store.diff({ namespace, left, right, base, start: keyOf(1), signal: controller.signal });
    const next = differences[Symbol.asyncIterator]().next();
    controller.abort();
    await rejectsWith(() => next, 'cancelled');
  });

  it('a cancelled build ends with cancelled and leaves nothing in the workspace', async t => {
    const { store, folder } = await open(t);
    const controller = new AbortController();
    async function* endless(): AsyncGenerator<Change[]> {
      for (let i = 0; ; i++) {
        if (i === 50) controller.abort();
        yield [{ key: keyOf(i), value: recordOf('A') }];
      }
    }
    await assert.rejects(store.apply({ namespace, base: '', changes: endless(), signal: controller.signal }), error =>
      isSrvError(error, 'cancelled'),
    );
    const left = (await cachedFiles(folder, 'range')).filter(file => file.includes('workspace'));
    assert.deepEqual(left, []);
  });

  it('a build whose caller leaves does not wait for a store that never answers, and a later build succeeds', async t => {
    const { store, block, folder } = await open(t);
    const id = await build(store, changesOf(300));
    const { put } = block;
    const controller = new AbortController();
    let uploads = 0;
    // As of stores that accept requests: only the caller ends them.
    block.put = (_pointer, _body, options) => {
      uploads++;
      const answer = orAborted(new Promise<never>(() => undefined), options?.signal);
      controller.abort();
      return answer;
    };
    const changes = pagesOf(changesOf(300, 'B'));
    await rejectsWith(() => store.apply({ namespace, base: id, changes, signal: controller.signal }), 'cancelled');
    assert.ok(uploads > 0);
    assert.deepEqual(
      (await cachedFiles(folder, 'range')).filter(file => file.includes('workspace')),
      [],
    );
    block.put = put;
    const later = await build(store, changesOf(300, 'B'), id);
    assert.notEqual(later, id);
  });

  it('an upload that fails fails the build', async t => {
    const { store, block } = await open(t);
    block.put = () => Promise.reject(new Error('disk full'));
    await assert.rejects(build(store, changesOf(300)), /disk full/);
  });

  it('a producer that fails fails the build', async t => {
    const { store } = await open(t);
    async function* broken(): AsyncGenerator<Change[]> {
      yield changesOf(10);
      throw new Error('the scan was throttled');
    }
    await assert.rejects(store.apply({ namespace, base: '', changes: broken() }), /the scan was throttled/);
  });

  it('leaves its threads to the next store, without its files; a thread with a task ends', async t => {
    let started = 0;
    const count = () => started++;
    subscribe('worker_threads', count);
    t.after(() => unsubscribe('worker_threads', count));
    const useStore = async (version: string, isLeftOpen = false): Promise<void> => {
      const { kernel, store, folder } = await open(t);
      const base = await build(store, changesOf(3000, version));
      const [left, right] = [await build(store, changesOf(2000, 'left'), base), await build(store, changesOf(2000, 'right'), base)];
      const pages = store.diff({ namespace, left, right, base })[Symbol.asyncIterator]();
      const page = ((await pages.next()).value ?? []) as readonly Comparison[];
      assert.deepEqual([page[0]?.left, page[0]?.right], [recordOf('left', 'data-0'), recordOf('right', 'data-0')]);
      if (!isLeftOpen) await pages.return?.();
      await kernel.stop();
      assert.deepEqual(openFilesIn(folder), []);
    };
    await useStore('A');
    const threads = started;
    await useStore('B');
    assert.equal(started, threads, 'the second store started a thread');
    // One more than wait.
    for (let i = 0; i <= Math.max(2, availableParallelism()); i++) await useStore('C', true);
    assert.ok(started > threads, 'threads with a task were handed on');
    await useStore('A');
  });

  it('keeps no more idle files open than the configuration says, in any thread', {
    skip: process.platform === 'linux' ? false : 'needs Linux',
  }, async t => {
    const openAfter = async (openReaders: number): Promise<number> => {
      const { store, folder } = await open(t, {
        'committed.local_cache.range.open_readers': openReaders,
        'committed.local_cache.metarange.open_readers': openReaders,
      });
      const base = await build(store, changesOf(3000));
      await build(store, changesOf(3000, 'B'), base);
      return openFilesIn(folder).length;
    };
    assert.ok((await openAfter(50)) > 0);
    assert.equal(await openAfter(0), 0);
  });

  it('rejects malformed ids', async t => {
    const { store } = await open(t);
    await assert.rejects(store.location(namespace, '../../etc/passwd'), error => isSrvError(error, 'invalid'));
    await assert.rejects(store.kindOf(namespace, 'abc'), error => isSrvError(error, 'invalid'));
    // As a record names it: the record is damaged, not the request.
    await assert.rejects(store.get(namespace, 'abc', keyOf(1)), error => isSrvError(error, 'corrupt'));
    await assert.rejects(store.open(namespace, 'range', 'f'.repeat(64)), error => isSrvError(error, 'not_found'));
  });
});
