import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { identifierType } from '@srv/lib-block-store';
import type { Catalog } from '@srv/catalog/contract';
import { median, rate } from './benchmark.js';
import type { Benchmark, BenchmarkRow } from './benchmark.js';
import { openEngine } from './engine.js';

const sizes = {
  full: { staged: 100_000, large: 1_000_000, medium: 100_000, small: 10_000, log: 10_000, repeat: 5 },
  smoke: { staged: 2_000, large: 5_000, medium: 2_000, small: 1_000, log: 50, repeat: 1 },
};

/** Objects staged at a time. */
const parallel = 500;
const committer = { committer: 'bench', message: 'bench' };

export default {
  name: 'versioning',
  description: 'Staging, commit, branch, diff, merge, listing and log on embedded storage with durable writes',
  async run({ smoke }) {
    const size = smoke ? sizes.smoke : sizes.full;
    const engine = await openEngine();
    const memory = watchMemory();
    try {
      const catalog = engine.kernel.services.get('catalog');
      const rows = [...(await journey(catalog, size)), ...(await growth(catalog, size)), ...(await history(catalog, size))];
      return [...rows, { what: 'peak memory of all of this', value: memory.stop(), unit: 'MiB' }];
    } finally {
      memory.stop();
      await engine.close();
    }
  },
} satisfies Benchmark;

const folders = 10;

function pathOf(i: number): string {
  return `data/set-${String(i % folders).padStart(3, '0')}/part-${String(i).padStart(8, '0')}.parquet`;
}

/** Stages objects that lie outside; nothing is written to the block store. */
async function stage(catalog: Catalog, repository: string, branch: string, paths: Iterable<string>, version = 0): Promise<void> {
  let batch: Promise<unknown>[] = [];
  for (const path of paths) {
    const request = {
      address: `local:///outside/${path}`,
      addressType: identifierType.full,
      size: 1000 + version,
      etag: 'd41d8cd98f00b204e9800998ecf8427e',
    };
    batch.push(catalog.stageEntry(repository, branch, path, request));
    if (batch.length < parallel) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
}

/** Neighbours in one folder with a step of `folders`. */
function* paths(count: number, from = 0, step = 1): Generator<string> {
  for (let i = 0; i < count; i++) yield pathOf(from + i * step);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function journey(catalog: Catalog, { staged, repeat }: typeof sizes.full): Promise<BenchmarkRow[]> {
  await catalog.createRepository({ id: 'journey', storageNamespace: 'local://journey' });
  const staging = await timed(() => stage(catalog, 'journey', 'main', paths(staged)));
  const commit = await timed(() => catalog.commit('journey', 'main', committer));
  let branches = 0;
  const branch = await median(repeat, () => catalog.createBranch('journey', `b${branches++}`, 'main'));
  await stage(catalog, 'journey', 'b0', paths(100, 0, folders), 1);
  const small = await timed(() => catalog.commit('journey', 'b0', committer));
  const diff = await median(repeat, () => catalog.diff('journey', 'main', 'b0', { amount: 1000 }));
  const merge = await timed(() => catalog.merge('journey', 'b0', 'main', { committer: 'bench' }));
  return [
    { what: `stage ${staged} objects, durable, ${parallel} at a time`, value: rate(staged, staging), unit: 'objects/s' },
    { what: `commit them`, value: rate(staged, commit), unit: 'objects/s' },
    { what: 'create a branch', value: round(branch), unit: 'ms' },
    { what: 'commit 100 changes on it', value: round(small), unit: 'ms' },
    { what: 'diff it with its source', value: round(diff), unit: 'ms' },
    { what: 'merge it back', value: round(merge), unit: 'ms' },
  ];
}

/** The same small work in a small and a large repository. */
async function growth(catalog: Catalog, { large, medium, small, repeat }: typeof sizes.full): Promise<BenchmarkRow[]> {
  const measure = async (id: string, count: number) => {
    await catalog.createRepository({ id, storageNamespace: `local://${id}` });
    await stage(catalog, id, 'main', paths(count));
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const first = await timed(() => catalog.commit(id, 'main', committer));
    delay.disable();
    let version = 1;
    let branches = 0;
    const change = (step: number): Promise<number> =>
      median(repeat, async () => {
        await stage(catalog, id, 'main', paths(100, Math.floor(count / 2), step), version++);
        await catalog.commit(id, 'main', committer);
      });
    await change(folders);
    const commit = await change(folders);
    const spread = await change(Math.floor(count / 200) + 1);
    const branch = await median(repeat, () => catalog.createBranch(id, `b${branches++}`, 'main'));
    // From another place each time: a page that was asked for before is kept.
    let lists = 0;
    const from = (prefix: string): { amount: number; prefix: string; delimiter: string; after: string } => ({
      amount: 1000,
      prefix,
      delimiter: '/',
      after: `${prefix}!${lists++}`,
    });
    const page = await median(repeat, () => catalog.list(id, 'main', from('data/set-005/')));
    const shown = await median(repeat, () => catalog.list(id, 'main', from('data/')));
    return { first, commit, spread, branch, page, shown, delay: delay.percentile(99) / 1e6 };
  };
  const little = await measure('little', small);
  const middle = await measure('middle', medium);
  const big = await measure('big', large);
  const against = (value: number, other: number) => ({ to: `${small} objects`, value: value / other });
  return [
    { what: `commit ${large} objects`, value: rate(large, big.first), unit: 'objects/s' },
    { what: 'event-loop delay meanwhile, p99', value: round(big.delay), unit: 'ms' },
    {
      what: `stage and commit 100 neighbouring changes in a repository of ${large}`,
      value: round(big.commit),
      unit: 'ms',
      ratio: against(big.commit, little.commit),
    },
    {
      what: `the same in one of ${medium}, which is larger than a range`,
      value: round(middle.commit),
      unit: 'ms',
      ratio: { to: `${large} objects`, value: middle.commit / big.commit },
    },
    {
      what: 'the same with changes spread over half of it',
      value: round(big.spread),
      unit: 'ms',
      ratio: against(big.spread, little.spread),
    },
    { what: 'create a branch there', value: round(big.branch), unit: 'ms', ratio: against(big.branch, little.branch) },
    { what: 'list a page of 1000 in one of its folders', value: round(big.page), unit: 'ms', ratio: against(big.page, little.page) },
    { what: `list its ${folders} folders`, value: round(big.shown), unit: 'ms', ratio: against(big.shown, little.shown) },
  ];
}

async function history(catalog: Catalog, { log }: typeof sizes.full): Promise<BenchmarkRow[]> {
  await catalog.createRepository({ id: 'history', storageNamespace: 'local://history' });
  for (let i = 0; i < log; i++) await catalog.commit('history', 'main', { committer: 'bench', message: String(i), allowEmpty: true });
  const read = await timed(async () => {
    for (let after = ''; ; ) {
      const page = await catalog.log('history', 'main', { amount: 1000, after });
      if (!page.hasMore) return;
      after = page.nextOffset;
    }
  });
  return [{ what: `log of ${log} commits, in pages of 1000`, value: rate(log, read), unit: 'commits/s' }];
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** Samples the memory of the process; pages of mapped files, which the system may take back, do not count where it tells. */
function watchMemory(): { stop(): number } {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, ownMemory());
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return Math.round(peak / 2 ** 20);
    },
  };
}

function ownMemory(): number {
  try {
    const [, kib] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return kib === undefined ? process.memoryUsage.rss() : Number(kib) * 1024;
  } catch {
    return process.memoryUsage.rss();
  }
}
