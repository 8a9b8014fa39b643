import { monitorEventLoopDelay } from 'node:perf_hooks';
import { median, rate, timeOf } from './benchmark.js';
import { openEngine } from './engine.js';
import { committer, folders, parallel, paths, stage } from './staged-objects.js';
import { watchMemory } from './watch-memory.js';
import type { Engine } from '@srv/engine/contract';
import type { Benchmark, BenchmarkRow } from './benchmark.js';

const sizes = {
  full: { staged: 100_000, large: 1_000_000, log: 10_000, repeat: 5 },
  smoke: { staged: 2_000, large: 5_000, log: 50, repeat: 1 },
};

export default {
  name: 'versioning',
  description: 'Staging, commit, branch, diff, merge, listing and log on embedded storage with durable writes',
  async run({ smoke }) {
    const size = smoke ? sizes.smoke : sizes.full;
    const opened = await openEngine();
    const memory = watchMemory();
    try {
      const engine = opened.kernel.services.get('engine');
      const rows = [...(await journey(engine, size)), ...(await large(engine, size)), ...(await history(engine, size))];
      return [...rows, { what: 'peak memory of all of this', value: memory.stop(), unit: 'MiB' }];
    } finally {
      memory.stop();
      await opened.close();
    }
  },
} satisfies Benchmark;

async function journey(engine: Engine, { staged, repeat }: typeof sizes.full): Promise<BenchmarkRow[]> {
  await engine.createRepository({ id: 'journey', storageNamespace: 'local://journey' });
  const staging = await timeOf(() => stage(engine, 'journey', 'main', paths(staged)));
  const commit = await timeOf(() => engine.commit('journey', 'main', committer));
  let branches = 0;
  const branch = await median(repeat, () => engine.createBranch('journey', `b${branches++}`, 'main'));
  await stage(engine, 'journey', 'b0', paths(100, 0, folders), 1);
  const small = await timeOf(() => engine.commit('journey', 'b0', committer));
  const diff = await median(repeat, () => engine.diff('journey', 'main', 'b0', { amount: 1000 }));
  const merge = await timeOf(() => engine.merge('journey', 'b0', 'main', { committer: 'bench' }));
  return [
    { what: `stage ${staged} objects, durable, ${parallel} at a time`, value: rate(staged, staging), unit: 'objects/s' },
    { what: `commit them`, value: rate(staged, commit), unit: 'objects/s' },
    { what: 'create a branch', value: round(branch), unit: 'ms' },
    { what: 'commit 100 changes on it', value: round(small), unit: 'ms' },
    { what: 'diff it with its source', value: round(diff), unit: 'ms' },
    { what: 'merge it back', value: round(merge), unit: 'ms' },
  ];
}

async function large(engine: Engine, { large: count }: typeof sizes.full): Promise<BenchmarkRow[]> {
  await engine.createRepository({ id: 'large', storageNamespace: 'local://large' });
  await stage(engine, 'large', 'main', paths(count));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const took = await timeOf(() => engine.commit('large', 'main', committer));
  delay.disable();
  return [
    { what: `commit ${count} objects`, value: rate(count, took), unit: 'objects/s' },
    { what: 'event-loop delay meanwhile, p99', value: round(delay.percentile(99) / 1e6), unit: 'ms' },
  ];
}

async function history(engine: Engine, { log }: typeof sizes.full): Promise<BenchmarkRow[]> {
  await engine.createRepository({ id: 'history', storageNamespace: 'local://history' });
  for (let i = 0; i < log; i++) await engine.commit('history', 'main', { committer: 'bench', message: String(i), allowEmpty: true });
  const read = await timeOf(async () => {
    for (let after = ''; ; ) {
      const page = await engine.log('history', 'main', { amount: 1000, after });
      if (!page.hasMore) return;
      after = page.nextOffset;
    }
  });
  return [{ what: `log of ${log} commits, in pages of 1000`, value: rate(log, read), unit: 'commits/s' }];
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
