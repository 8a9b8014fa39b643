/** Marking and sweeping on embedded storage. */
import { setTimeout as sleep } from 'node:timers/promises';
import { identifierType } from '@srv/kernel';
import gc from '@srv/gc/plugin';
import gcConfig from '@srv/gc/config';
import type { BlockStore } from '@srv/kernel';
import type { Catalog } from '@srv/catalog/contract';
import type { GarbageCollection, Run } from '@srv/gc/contract';
import { median, rate, timeOf } from './benchmark.js';
import type { Benchmark, BenchmarkRow } from './benchmark.js';
import { openEngine } from './engine.js';

/** SRV_BENCH_GC_OBJECTS: another number of objects, such as 1000000. */
const asked = Number(process.env['SRV_BENCH_GC_OBJECTS'] ?? 0);
const sizes = {
  full: { objects: asked > 0 ? asked : 100_000, commits: 250, more: 100, branches: 100 },
  smoke: { objects: 600, commits: 5, more: 10, branches: 5 },
};
const parallel = 64;
/** As the collector asks the store. */
const [lot, lotsAtOnce] = [250, 4];
const commit = { committer: 'bench', message: 'bench' };
const namespace = 'local://collected';
const repository = 'collected';
/** A folder that changed a moment ago is listed again: milliseconds. */
const folderRest = 2500;

export default {
  name: 'gc',
  description: 'Garbage collection on embedded storage: mark, sweep, mark again after few changes, and what pins cost',
  async run({ smoke }) {
    const { objects, commits, more, branches } = smoke ? sizes.smoke : sizes.full;
    const engine = await openEngine({
      plugins: [{ plugin: gc, section: gcConfig, requires: ['catalog'] }],
      config: { 'gc.min_age': '0s', 'gc.unsafe_min_age': true },
      folders: { 'gc.cache_dir': 'gc' },
    });
    try {
      const { services } = engine.kernel;
      const [catalog, block, collector] = [services.get('catalog'), services.get('block'), services.get('gc')];
      await catalog.createRepository({ id: repository, storageNamespace: namespace });
      for (let i = 0; i < commits; i++) {
        await put(catalog, i * (objects / commits), objects / commits);
        await catalog.commit(repository, 'main', commit);
      }
      if (!smoke) await sleep(folderRest);
      const first = await measured(() => run(collector, 'dry_run'));
      await put(catalog, objects, more);
      await catalog.commit(repository, 'main', commit);
      const again = await timeOf(() => run(collector, 'dry_run'));
      await put(catalog, 2 * objects, objects);
      await catalog.resetBranch(repository, 'main', { type: 'all' });
      let found: Run | undefined;
      const marked = await run(collector, 'mark');
      // Half of it before and half after: what else the machine does is then in both.
      const before = await bareDeletions(catalog, block, objects / 2);
      const sweep = await measured(async () => {
        found = await ended(collector, await collector.sweep(repository, marked.id));
      });
      if (found?.deleted !== objects) throw new Error(`swept ${found?.deleted} objects, not ${objects}`);
      const bare = before + (await bareDeletions(catalog, block, objects / 2));
      return [
        { what: `mark ${objects} objects in ${commits} commits`, value: Math.round(first.time), unit: 'ms' },
        { what: 'memory of that', value: first.memory, unit: 'MiB' },
        {
          what: `mark again after ${more} changes`,
          value: Math.round(again),
          unit: 'ms',
          ratio: { to: 'the first mark', value: again / first.time },
        },
        {
          what: `sweep ${objects} objects, checks included`,
          value: rate(objects, sweep.time),
          unit: 'objects/s',
          ratio: { to: 'the store alone', value: bare / sweep.time },
        },
        { what: 'memory of that', value: sweep.memory, unit: 'MiB' },
        ...(await pins(catalog, branches)),
      ];
    } finally {
      await engine.close();
    }
  },
} satisfies Benchmark;

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
async function pins(catalog: Catalog, branches: number): Promise<BenchmarkRow[]> {
  const making = (on: Catalog, id: string) => {
    let made = 0;
    return median(branches, () => on.createBranch(id, `b${made++}`, 'main'));
  };
  const pinned = await making(catalog, repository);
  const bare = await openEngine();
  try {
    const alone = bare.kernel.services.get('catalog');
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
    await bare.close();
  }
}

async function put(catalog: Catalog, from: number, count: number): Promise<void> {
  for (let at = 0; at < count; at += parallel)
    await Promise.all(
      Array.from({ length: Math.min(parallel, count - at) }, (_, i) => {
        const path = `set-${String(from + at + i).padStart(8, '0')}`;
        return catalog.putObject(repository, 'main', path, Buffer.from(path));
      }),
    );
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
async function bareDeletions(catalog: Catalog, block: BlockStore, count: number): Promise<number> {
  const lots: string[][] = [];
  for (let at = 0; at < count; at += lot)
    lots.push(
      await Promise.all(
        Array.from({ length: Math.min(lot, count - at) }, async () => {
          const identifier = catalog.allocateAddress();
          await block.put({ namespace, identifier, identifierType: identifierType.relative }, Buffer.from('x'));
          return identifier;
        }),
      ),
    );
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
