/** The same work in repositories of 10,000, 100,000 and 1,000,000 objects. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryRoot } from '../repository-root.js';
import { median, rate, timeOf } from './benchmark.js';
import { openEngine } from './engine.js';
import { committer, folders, pathOf, paths, stage } from './staged-objects.js';
import { importFolder, writeFiles } from './versus/import.js';
import { Side } from './versus/side.js';
import { repository } from './versus/work.js';
import { watchMemory } from './watch-memory.js';
import type { Engine } from '@srv/engine/contract';
import type { Benchmark, BenchmarkRow } from './benchmark.js';

const sizes = {
  full: { counts: [10_000, 100_000, 1_000_000], repeat: 5, reads: 300 },
  smoke: { counts: [1_000, 2_000, 5_000], repeat: 1, reads: 10 },
};

/** Changes of a commit. */
const changes = 100;
/** Objects deleted at a time. */
const most = 1000;

/** Milliseconds by what was done, in the order of the table. */
type Figures = Readonly<Record<string, number>>;

export default {
  name: 'growth',
  description: 'The same reads and small changes in repositories of 10,000, 100,000 and 1,000,000 objects',
  async run({ smoke }) {
    const { counts, repeat, reads } = smoke ? sizes.smoke : sizes.full;
    const opened = await openEngine();
    const memory = watchMemory();
    try {
      const engine = opened.kernel.services.get('engine');
      const all: { readonly count: number; readonly figures: Figures }[] = [];
      for (const count of counts) all.push({ count, figures: await measure(engine, { count, repeat, reads }) });
      const peak = { what: 'peak memory of all of this', value: memory.stop(), unit: 'MiB' };
      return [...rowsOf(all), peak, ...(await imports(counts))];
    } finally {
      memory.stop();
      await opened.close();
    }
  },
} satisfies Benchmark;

/** Folders of as many files, each imported for the first time, by a server of its own. */
async function imports(counts: readonly number[]): Promise<readonly BenchmarkRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-growth-'));
  const home = join(folder, 'home');
  const env = { SRV_DATABASE_TYPE: 'local', SRV_DATABASE_LOCAL_PATH: join(home, 'records') };
  const side = await Side.start({ name: 'import', checkout: repositoryRoot, home, source: folder, args: [], env });
  try {
    await side.call('POST', '/repositories', { name: 'bench', storage_namespace: 'local://bench', default_branch: 'main' });
    const rates: number[] = [];
    for (const count of counts) {
      const files = join(folder, `files-${count}`);
      await writeFiles(files, count);
      await side.call('POST', `${repository}/branches`, { name: `import-${count}`, source: 'main' });
      rates.push(rate(count, await timeOf(() => importFolder(side, `import-${count}`, files))));
    }
    const [base = Number.NaN] = rates;
    return rates.map((value, i) => {
      const row = { what: `import a folder of ${counts[i]} files`, value, unit: 'files/s' };
      return i === 0 ? row : { ...row, ratio: { to: `${counts[0]} files`, value: value / base } };
    });
  } finally {
    await side.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Size {
  readonly count: number;
  readonly repeat: number;
  readonly reads: number;
}

async function measure(engine: Engine, { count, repeat, reads }: Size): Promise<Figures> {
  const id = `growth-${count}`;
  await engine.createRepository({ id, storageNamespace: `local://${id}` });
  await stage(engine, id, 'main', paths(count));
  await engine.commit(id, 'main', committer);
  // Threads that have committed this much have a heap to clean up.
  await sleep(500);
  const anywhere = (): string => pathOf(Math.floor(Math.random() * count));
  let version = 1;
  /** @param step between the numbers of changed objects. */
  const change = async (branch: string, step: number): Promise<void> => {
    await stage(engine, id, branch, paths(changes, 0, step), version++);
    await engine.commit(id, branch, committer);
  };
  // No multiple of the number of folders: all of them change.
  const spread = Math.floor(count / changes) - 1;
  await change('main', folders);
  const stat = await median(reads, () => engine.getEntry(id, 'main', anywhere()));
  const list = await median(reads, () => engine.list(id, 'main', { amount: 100, after: anywhere() }));
  const shown = await median(repeat, turn =>
    engine.list(id, 'main', { amount: 100, prefix: 'data/', delimiter: '/', after: `data/!${turn}` }),
  );
  const branch = await median(repeat, turn => engine.createBranch(id, `branch-${turn}`, 'main'));
  const near = await median(repeat, () => change('main', folders));
  const far = await median(repeat, () => change('main', spread));
  await engine.createBranch(id, 'aside', 'main');
  await change('aside', spread);
  const diff = await median(repeat, () => engine.diff(id, 'main', 'aside', { amount: 1000 }));
  const merge = await timeOf(() => engine.merge(id, 'aside', 'main', { committer: 'bench' }));
  const { before, compaction, after } = await emptied(engine, id, count);
  return {
    'stat of any object': stat,
    'a page of 100 after any name': list,
    [`its ${folders} folders`]: shown,
    'create a branch': branch,
    [`stage and commit ${changes} neighbouring changes`]: near,
    [`stage and commit ${changes} changes all over it`]: far,
    'diff of two branches that differ in as many': diff,
    'merge them': merge,
    'list a branch by delimiter, all its objects deleted and the deletions uncommitted': before,
    'compact it': compaction,
    'list it then': after,
  };
}

/** A branch on which every object is deleted and nothing committed: what a listing has to step over. */
async function emptied(engine: Engine, id: string, count: number) {
  const branch = 'emptied';
  await engine.createBranch(id, branch, 'main');
  for (let at = 0; at < count; at += most) await engine.deleteObjects(id, branch, [...paths(Math.min(most, count - at), at)]);
  const list = (): Promise<unknown> => engine.list(id, branch, { delimiter: '/' });
  const before = await timeOf(list);
  const compaction = await timeOf(() => engine.compactBranch(id, branch));
  return { before, compaction, after: await median(5, list) };
}

function rowsOf(all: readonly { readonly count: number; readonly figures: Figures }[]): BenchmarkRow[] {
  const [least] = all;
  if (!least) return [];
  return Object.entries(least.figures).flatMap(([what, base]) =>
    all.map(({ count, figures }) => {
      const value = figures[what] ?? Number.NaN;
      const row = { what: `${what}, ${count} objects`, value: Math.round(value * 1000) / 1000, unit: 'ms' };
      return count === least.count ? row : { ...row, ratio: { to: `${least.count} objects`, value: value / base } };
    }),
  );
}
