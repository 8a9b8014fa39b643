/** Marking and sweeping on embedded storage. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { encodeEntry } from '@srv/engine/objects/entry';
import { encodeValue } from '@srv/engine/tables/format';
import { identifierType } from '@srv/lib-stores/block';
import { startSrv } from '@srv/test-servers';
import { median, rate, timeOf } from '@srv/test-servers/benchmark';
import type { Engine } from '@srv/engine/contract';
import type { RunningSrv } from '@srv/test-servers';
import type { Benchmark, BenchmarkRow } from '@srv/test-servers/benchmark';
import type { GarbageCollection, Run } from '../src/contract.js';

const sizes = {
  full: { objects: 100_000, commits: 250, more: 100, branches: 100, large: 1_000_000 },
  smoke: { objects: 600, commits: 5, more: 10, branches: 5, large: 1200 },
};
const commit = { committer: 'bench', message: 'bench' };
const namespace = 'local://collected';
const repository = 'collected';
/** A folder that changed a moment ago is listed again: milliseconds. */
const folderRest = 2500;
/** As the collector asks the store. */
const [lot, lotsAtOnce] = [250, 4];

export default {
  name: 'gc',
  description: 'Garbage collection on embedded storage: mark, sweep, mark again after few changes, and what pins cost',
  async run({ smoke }) {
    const { objects, commits, more, branches, large } = smoke ? sizes.smoke : sizes.full;
    return [
      ...(await marks({ objects, commits, more, rest: smoke ? 0 : folderRest }, engine => sweeps(engine, objects, branches))),
      ...(await marks({ objects: large, commits, more, rest: smoke ? 0 : folderRest })),
    ];
  },
} satisfies Benchmark;

interface MarkSizes {
  readonly objects: number;
  readonly commits: number;
  /** Objects committed between the first mark and the second. */
  readonly more: number;
  /** Milliseconds before the first mark. */
  readonly rest: number;
}

async function marks(
  { objects, commits, more, rest }: MarkSizes,
  then?: (engine: RunningSrv) => Promise<BenchmarkRow[]>,
): Promise<BenchmarkRow[]> {
  const cache = await mkdtemp(join(tmpdir(), 'bench-gc-'));
  const config = { 'gc.min_age': '0s', 'gc.unsafe_min_age': true, 'gc.cache_dir': cache };
  const engine = await startSrv({ plugins: ['gc'], config });
  try {
    const { services } = engine.kernel;
    const [catalog, collector] = [services.get('engine'), services.get('gc')];
    await catalog.createRepository({ id: repository, storageNamespace: namespace });
    for (let i = 0; i < commits; i++) await commitFiles(engine, `c${String(i).padStart(4, '0')}/`, objects / commits);
    await sleep(rest);
    const first = await measured(() => run(collector, 'dry_run'));
    await commitFiles(engine, 'more/', more);
    const again = await measured(() => run(collector, 'dry_run'));
    return [
      { what: `mark ${objects} objects in ${commits} commits`, value: Math.round(first.time), unit: 'ms' },
      { what: 'memory of that', value: first.memory, unit: 'MiB' },
      {
        what: `mark again after ${more} changes`,
        value: Math.round(again.time),
        unit: 'ms',
        ratio: { to: 'the first mark', value: again.time / first.time },
      },
      ...((await then?.(engine)) ?? []),
    ];
  } finally {
    await engine.stop();
    await rm(cache, { recursive: true, force: true });
  }
}

async function sweeps(engine: RunningSrv, objects: number, branches: number): Promise<BenchmarkRow[]> {
  const { services } = engine.kernel;
  const [catalog, collector] = [services.get('engine'), services.get('gc')];
  await makeFiles(engine, objects);
  const marked = await run(collector, 'mark');
  // Half of it before and half after: what else the machine does is then in both.
  const before = await bareDeletions(engine, objects / 2);
  let found: Run | undefined;
  const sweep = await measured(async () => {
    found = await ended(collector, await collector.sweep(repository, marked.id));
  });
  if (found?.deleted !== objects) throw new Error(`swept ${found?.deleted} objects, not ${objects}`);
  const bare = before + (await bareDeletions(engine, objects / 2));
  return [
    {
      what: `sweep ${objects} objects, checks included`,
      value: rate(objects, sweep.time),
      unit: 'objects/s',
      ratio: { to: 'the store alone', value: bare / sweep.time },
    },
    { what: 'memory of that', value: sweep.memory, unit: 'MiB' },
    ...(await pins(catalog, branches)),
  ];
}

/** Files as writers leave them, but without their bytes and syncs. @returns their addresses. */
async function makeFiles({ kernel }: RunningSrv, count: number): Promise<string[]> {
  const [catalog, block] = [kernel.services.get('engine'), kernel.services.get('block')];
  const addresses: string[] = [];
  const folders = new Set<string>();
  for (let i = 0; i < count; i++) {
    const identifier = catalog.allocateAddress();
    const path = block.resolve({ namespace, identifier, identifierType: identifierType.relative }).slice('local://'.length);
    const folder = dirname(path);
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    closeSync(openSync(path, 'w'));
    addresses.push(identifier);
    if (i % 500 === 0) await setImmediate();
  }
  return addresses;
}

/** One commit of new objects below a prefix. */
async function commitFiles(engine: RunningSrv, prefix: string, count: number): Promise<void> {
  const { services } = engine.kernel;
  const [committed, versioning] = [services.get('engine').tables, services.get('engine')];
  const addresses = await makeFiles(engine, count);
  const changes = (async function* () {
    for (let at = 0; at < addresses.length; at += 1000)
      yield addresses.slice(at, at + 1000).map((address, i) => {
        const facts = { address, addressType: identifierType.relative, size: 0, etag: address, lastModified: new Date(0) };
        const value = encodeValue(encodeEntry({ ...facts, metadata: {}, contentType: '' }));
        return { key: Buffer.from(`${prefix}${String(at + i).padStart(8, '0')}`), value };
      });
  })();
  const { metarangeId } = await committed.apply({ namespace, base: '', changes });
  const target = await versioning.getRepository(repository);
  await versioning.import(target, 'main', { ...commit, metarangeId, prefixes: [prefix], keys: [] });
}

/** Milliseconds of work, and MiB that the process grew by meanwhile. */
async function measured(work: () => Promise<unknown>): Promise<{ readonly time: number; readonly memory: number }> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const time = await timeOf(work);
  clearInterval(timer);
  return { time, memory: Math.round((peak - before) / 2 ** 20) };
}

/** Branches made with the collector at hand, and on an engine without it. */
async function pins(catalog: Engine, branches: number): Promise<BenchmarkRow[]> {
  const making = (on: Engine, id: string) => {
    let made = 0;
    return median(branches, () => on.createBranch(id, `b${made++}`, 'main'));
  };
  const pinned = await making(catalog, repository);
  const bare = await startSrv();
  try {
    const alone = bare.kernel.services.get('engine');
    await alone.createRepository({ id: 'bare', storageNamespace: 'local://bare' });
    const plain = await making(alone, 'bare');
    return [
      {
        what: 'make a branch',
        value: Math.round(pinned * 100) / 100,
        unit: 'ms',
        ratio: { to: 'that without the collector', value: pinned / plain },
      },
    ];
  } finally {
    await bare.stop();
  }
}

async function run(collector: GarbageCollection, mode: 'dry_run' | 'mark'): Promise<Run> {
  await sleep(2);
  return ended(collector, await collector.start(repository, { mode, force: true }));
}

async function ended(collector: GarbageCollection, id: string): Promise<Run> {
  for (;;) {
    const found = await collector.getRun(repository, id);
    if (found.phase === 'failed') throw new Error(found.error);
    if (found.phase === 'done' || found.phase === 'marked') return found;
    await sleep(5);
  }
}

/** Milliseconds that the same removals take without a collector, by the call for many objects. */
async function bareDeletions(engine: RunningSrv, count: number): Promise<number> {
  const block = engine.kernel.services.get('block');
  const addresses = await makeFiles(engine, count);
  const lots = Array.from({ length: Math.ceil(count / lot) }, (_, i) => addresses.slice(i * lot, (i + 1) * lot));
  const queue = lots.values();
  return timeOf(() =>
    Promise.all(
      Array.from({ length: lotsAtOnce }, async () => {
        for (const keys of queue)
          await block.removeAll(keys.map(identifier => ({ namespace, identifier, identifierType: identifierType.relative })));
      }),
    ),
  );
}
