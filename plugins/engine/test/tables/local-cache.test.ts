import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import blockMem from '@srv/block-mem/plugin';
import { createTestKernel } from '@srv/kernel/testing';
import { ownFolderName } from '@srv/lib-records/owned-folder';
import { createTestMetrics } from '@srv/metrics/testing';
import section from '../../src/config.js';
import plugin from '../../src/server/index.js';
import { pagesOf, recordOf } from './memory-tables.js';
import type { TestContext } from 'node:test';
import type { Kernel } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { CommittedStore } from '../../src/tables/contract.js';

const namespace = 'mem://bucket/repo';
const sizeBytes = 100_000;
const kinds = [
  { kind: 'range', capacity: 90_000 },
  { kind: 'meta-range', capacity: 10_000 },
];
/** A process counts the files of others after it has filled this part of the space. */
const countedPart = 1 / 16;

interface Server {
  readonly kernel: Kernel;
  readonly store: CommittedStore;
  readonly block: BlockStore;
}

describe('local copies of metadata files', () => {
  it('beyond capacityBytes: the bytes on the disk stay within the space over many commits, and after a restart', async t => {
    const folder = await temporaryFolder(t);
    const first = await start(t, folder, sizeBytes);
    await commitOften(first.store, 8);
    await settled(folder, kinds);
    first.block.close = () => Promise.resolve();
    await first.kernel.stop();
    await start(t, folder, sizeBytes, first.block);
    await settled(folder, kinds);
  });

  it('deletes what a smaller space does not hold when it starts', async t => {
    const folder = await temporaryFolder(t);
    const first = await start(t, folder, 100 * sizeBytes);
    const base = await commitOften(first.store, 8);
    assert.ok((await bytesOf(folder, 'range')) > 90_000, 'the space has to be exceeded first');
    first.block.close = () => Promise.resolve();
    await first.kernel.stop();
    const second = await start(t, folder, sizeBytes, first.block);
    await settled(folder, kinds);
    for (let i = 0; i < 2000; i += 100) assert.ok(await second.store.get(namespace, base, keyOf(i)), `key ${i}`);
  });

  it('keeps the space together with other processes on the same folder', async t => {
    const folder = await temporaryFolder(t);
    const first = await start(t, folder, sizeBytes);
    const second = await start(t, folder, sizeBytes, first.block);
    first.block.close = () => Promise.resolve();
    let base = '';
    for (let round = 0; round < 6; round++) {
      base = await commitOften(round % 2 === 0 ? first.store : second.store, 5, base, round);
      for (const { store } of [first, second]) assert.ok(await store.get(namespace, base, keyOf(7)));
    }
    const shared = kinds.map(({ kind, capacity }) => ({ kind, capacity: capacity * (1 + 2 * countedPart) }));
    await settled(folder, shared);
  });

  it('uses a copy that another process has downloaded', async t => {
    const folder = await temporaryFolder(t);
    const writer = await start(t, await temporaryFolder(t), sizeBytes);
    const base = await commitOften(writer.store, 1);
    writer.block.close = () => Promise.resolve();
    const first = await start(t, folder, sizeBytes, writer.block);
    const measured = createTestMetrics();
    const second = await start(t, folder, sizeBytes, writer.block, measured.plugin);
    await first.store.get(namespace, base, keyOf(7));
    await second.store.get(namespace, base, keyOf(7));
    assert.equal((await measured.scrape()).value('tier_fs_download_bytes_count', {}), 0);
  });

  it('leaves the workspace of a server on another machine alone at start, and removes that of a dead process', async t => {
    const folder = await temporaryFolder(t);
    const [, own = ''] = /^(.+)-\d+-[^-]+$/.exec(ownFolderName()) ?? [];
    const [other, dead] = ['elsewhere-1-abcdef', `${own}-999999999-abcdef`];
    for (const { kind } of kinds) for (const name of [other, dead]) await mkdir(join(folder, kind, 'workspace', name), { recursive: true });
    await start(t, folder, sizeBytes);
    for (const { kind } of kinds) {
      const names = await readdir(join(folder, kind, 'workspace'));
      assert.deepEqual([names.length, names.includes(other), names.includes(dead)], [2, true, false], kind);
    }
  });

  it('commits and reads although another program has removed its workspace', async t => {
    const folder = await temporaryFolder(t);
    const { store, block } = await start(t, folder, sizeBytes);
    const removed = async () => {
      for (const { kind } of kinds) await rm(join(folder, kind, 'workspace'), { recursive: true });
    };
    await removed();
    const base = await commitOften(store, 2);
    const second = await start(t, await temporaryFolder(t), sizeBytes, block);
    const later = await commitOften(second.store, 2, base, 1);
    await removed();
    assert.ok(await store.get(namespace, later, keyOf(7)));
  });

  it('deletes files that are larger than the whole space when it stops', async t => {
    const folder = await temporaryFolder(t);
    const { kernel, store } = await start(t, folder, 100);
    const base = await commitOften(store, 3);
    assert.ok(await store.get(namespace, base, keyOf(7)));
    await kernel.stop();
    for (const { kind } of kinds) assert.equal(await bytesOf(folder, kind), 0, kind);
  });

  it('beyond maxOversizedFiles: the earliest are deleted at once', async t => {
    const folder = await temporaryFolder(t);
    const { store } = await start(t, folder, 100);
    const base = await commitOften(store, 3);
    for (let i = 0; i < 2000; i += 10) assert.ok(await store.get(namespace, base, keyOf(i)));
    const names = async (): Promise<number> => (await filesOf(folder, 'range')).length;
    assert.ok((await names()) > 0);
    while ((await names()) > 4) await sleep(10);
  });

  it('is readable by its owner only', async t => {
    const folder = await temporaryFolder(t);
    await start(t, folder, sizeBytes);
    for (const { kind } of kinds) assert.equal((await stat(join(folder, kind))).mode & 0o777, 0o700, kind);
  });
});

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'committed-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function start(
  t: TestContext,
  folder: string,
  size: number,
  block?: BlockStore,
  measuring = createTestMetrics().plugin,
  config: Readonly<Record<string, unknown>> = {},
): Promise<Server> {
  const kernel = await createTestKernel({
    plugins: [{ plugin: blockMem }, { plugin: measuring }, { plugin, section }],
    config: {
      'committed.warm_up': false,
      'committed.local_cache.dir': folder,
      'committed.local_cache.size_bytes': size,
      'committed.local_cache.range.open_readers': 2,
      'committed.local_cache.range.num_shards': 2,
      'committed.permanent.range_raggedness_entries': 100,
      ...config,
    },
    block,
  });
  t.after(() => kernel.stop());
  return { kernel, store: kernel.services.get('engine').tables, block: kernel.services.get('block') };
}

/** Commits changes all over 2,000 keys, so that every commit writes most ranges again; returns the last metarange. */
async function commitOften(store: CommittedStore, commits: number, base = '', round = 0): Promise<string> {
  let id = base;
  for (let commit = 0; commit < commits; commit++) {
    const changes = Array.from({ length: 2000 }, (_, i) => i)
      .filter(i => id === '' || i % 50 === commit % 50)
      .map(i => ({ key: keyOf(i), value: recordOf(`${round}.${commit}`, `data-${i}`) }));
    id = (await store.apply({ namespace, base: id, changes: pagesOf(changes) })).metarangeId;
  }
  return id;
}

function keyOf(i: number): Buffer {
  return Buffer.from(`dir/${String(i).padStart(6, '0')}`);
}

async function filesOf(folder: string, kind: string): Promise<string[]> {
  const entries = await readdir(join(folder, kind), { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath ?? entry.path, entry.name));
}

async function bytesOf(folder: string, kind: string): Promise<number> {
  const files = await filesOf(folder, kind);
  const sizes = await Promise.all(files.map(async file => (await stat(file).catch(() => undefined))?.size ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Waits until the files are deleted that no longer have room: that happens beside the commits. */
async function settled(folder: string, bounds: readonly { readonly kind: string; readonly capacity: number }[]): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (const { kind, capacity } of bounds) {
    let bytes = await bytesOf(folder, kind);
    while (bytes > capacity && Date.now() < deadline) {
      await new Promise(resolve => setTimeout(resolve, 20));
      bytes = await bytesOf(folder, kind);
    }
    assert.ok(bytes <= capacity, `${bytes} bytes of ${kind} files lie on the disk, ${capacity} are allowed`);
  }
}

it('beyond memory: blocks least in use are read from their files again', async t => {
  const read = t.mock.method(fs, 'readSync');
  syncBuiltinESMExports();
  t.after(() => {
    read.mock.restore();
    syncBuiltinESMExports();
  });
  const readAgain = async (memory: number): Promise<number> => {
    const { store } = await start(t, await temporaryFolder(t), 100 * sizeBytes, undefined, undefined, {
      'committed.sstable.memory.cache_size_bytes': memory,
      'committed.local_cache.range.open_readers': 1000,
      'committed.local_cache.range.num_shards': 100,
      'committed.permanent.range_raggedness_entries': 1_000_000,
    });
    const changes = Array.from({ length: 2000 }, (_, at) => ({
      key: keyOf(at),
      value: recordOf(`${at}`, randomBytes(400).toString('hex')),
    }));
    const { metarangeId: base } = await store.apply({ namespace, base: '', changes: pagesOf(changes) });
    const readAll = async (): Promise<void> => {
      // Back and forth: what was read last is at hand.
      for (let i = 0; i < 1000; i += 10) for (const at of [i, 1999 - i]) assert.ok(await store.get(namespace, base, keyOf(at)));
    };
    await readAll();
    const before = read.mock.callCount();
    await readAll();
    return read.mock.callCount() - before;
  };
  assert.equal(await readAgain(16 << 20), 0);
  assert.ok((await readAgain(20_000)) > 10);
});
