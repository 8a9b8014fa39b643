/** Marking and sweeping on embedded storage. */
import { setTimeout as sleep } from 'node:timers/promises';
import { identifierType } from '@srv/lib-block-store';
import gc from '@srv/gc/plugin';
import gcConfig from '@srv/gc/config';
import type { BlockStore } from '@srv/lib-block-store';
import type { Catalog } from '@srv/catalog/contract';
import type { GarbageCollection, Run } from '@srv/gc/contract';
import { rate, timeOf } from './benchmark.js';
import type { Benchmark } from './benchmark.js';
import { openEngine } from './engine.js';

const sizes = { full: { objects: 100_000, commits: 250, more: 100 }, smoke: { objects: 600, commits: 5, more: 10 } };
const parallel = 64;
const commit = { committer: 'bench', message: 'bench' };
const namespace = 'local://collected';
const repository = 'collected';

export default {
  name: 'gc',
  description: 'Garbage collection on embedded storage: mark, sweep, and mark again after few changes',
  async run({ smoke }) {
    const { objects, commits, more } = smoke ? sizes.smoke : sizes.full;
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
      const before = process.memoryUsage.rss();
      let peak = 0;
      const timer = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage.rss() - before);
      }, 50);
      const mark = await timeOf(() => run(collector, 'dry_run'));
      clearInterval(timer);
      await put(catalog, objects, more);
      await catalog.commit(repository, 'main', commit);
      const again = await timeOf(() => run(collector, 'dry_run'));
      const garbage = Math.floor(objects / 10);
      await put(catalog, 2 * objects, garbage);
      await catalog.resetBranch(repository, 'main', { type: 'all' });
      let found: Run | undefined;
      const marked = await run(collector, 'mark');
      const sweep = await timeOf(async () => {
        found = await ended(collector, await collector.sweep(repository, marked.id));
      });
      if (found?.deleted !== garbage) throw new Error(`swept ${found?.deleted} objects, not ${garbage}`);
      const bare = await bareDeletions(catalog, block, garbage);
      return [
        { what: `mark ${objects} objects in ${commits} commits`, value: Math.round(mark), unit: 'ms' },
        { what: 'memory of that', value: Math.round(peak / 2 ** 20), unit: 'MiB' },
        {
          what: `mark again after ${more} changes`,
          value: Math.round(again),
          unit: 'ms',
          ratio: { to: 'the first mark', value: again / mark },
        },
        {
          what: `sweep ${garbage} objects, checks included`,
          value: rate(garbage, sweep),
          unit: 'objects/s',
          ratio: { to: 'the store alone', value: bare / sweep },
        },
      ];
    } finally {
      await engine.close();
    }
  },
} satisfies Benchmark;

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

/** Milliseconds that the same removals take without a collector. */
async function bareDeletions(catalog: Catalog, block: BlockStore, count: number): Promise<number> {
  const addresses: string[] = [];
  for (let at = 0; at < count; at += parallel)
    addresses.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(parallel, count - at) }, async () => {
          const identifier = catalog.allocateAddress();
          await block.put({ namespace, identifier, identifierType: identifierType.relative }, Buffer.from('x'));
          return identifier;
        }),
      )),
    );
  const queue = addresses.values();
  return timeOf(() =>
    Promise.all(
      Array.from({ length: 32 }, async () => {
        for (const identifier of queue) await block.remove({ namespace, identifier, identifierType: identifierType.relative });
      }),
    ),
  );
}
