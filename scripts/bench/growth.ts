/** The same work in repositories of 10,000, 100,000 and 1,000,000 objects. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalog } from '@srv/catalog/contract';
import { median, timeOf } from './benchmark.js';
import type { Benchmark, BenchmarkRow } from './benchmark.js';
import { openEngine } from './engine.js';
import { committer, folders, pathOf, paths, stage } from './staged-objects.js';

const sizes = {
  full: { counts: [10_000, 100_000, 1_000_000], repeat: 5, reads: 300 },
  smoke: { counts: [1_000, 2_000, 5_000], repeat: 1, reads: 10 },
};

/** Changes of a commit. */
const changes = 100;

/** Milliseconds by what was done, in the order of the table. */
type Figures = Readonly<Record<string, number>>;

export default {
  name: 'growth',
  description: 'The same reads and small changes in repositories of 10,000, 100,000 and 1,000,000 objects',
  async run({ smoke }) {
    const { counts, repeat, reads } = smoke ? sizes.smoke : sizes.full;
    const engine = await openEngine();
    try {
      const catalog = engine.kernel.services.get('catalog');
      const all: { readonly count: number; readonly figures: Figures }[] = [];
      for (const count of counts) all.push({ count, figures: await measure(catalog, { count, repeat, reads }) });
      return rowsOf(all);
    } finally {
      await engine.close();
    }
  },
} satisfies Benchmark;

interface Size {
  readonly count: number;
  readonly repeat: number;
  readonly reads: number;
}

async function measure(catalog: Catalog, { count, repeat, reads }: Size): Promise<Figures> {
  const id = `growth-${count}`;
  await catalog.createRepository({ id, storageNamespace: `local://${id}` });
  await stage(catalog, id, 'main', paths(count));
  await catalog.commit(id, 'main', committer);
  // Threads that have committed this much have a heap to clean up.
  await sleep(500);
  const anywhere = (): string => pathOf(Math.floor(Math.random() * count));
  let version = 1;
  /** @param step between the numbers of changed objects. */
  const change = async (branch: string, step: number): Promise<void> => {
    await stage(catalog, id, branch, paths(changes, 0, step), version++);
    await catalog.commit(id, branch, committer);
  };
  // No multiple of the number of folders: all of them change.
  const spread = Math.floor(count / changes) - 1;
  await change('main', folders);
  const stat = await median(reads, () => catalog.getEntry(id, 'main', anywhere()));
  const list = await median(reads, () => catalog.list(id, 'main', { amount: 100, after: anywhere() }));
  const shown = await median(repeat, turn =>
    catalog.list(id, 'main', { amount: 100, prefix: 'data/', delimiter: '/', after: `data/!${turn}` }),
  );
  const branch = await median(repeat, turn => catalog.createBranch(id, `branch-${turn}`, 'main'));
  const near = await median(repeat, () => change('main', folders));
  const far = await median(repeat, () => change('main', spread));
  await catalog.createBranch(id, 'aside', 'main');
  await change('aside', spread);
  const diff = await median(repeat, () => catalog.diff(id, 'main', 'aside', { amount: 1000 }));
  const merge = await timeOf(() => catalog.merge(id, 'aside', 'main', { committer: 'bench' }));
  return {
    'stat of any object': stat,
    'a page of 100 after any name': list,
    [`its ${folders} folders`]: shown,
    'create a branch': branch,
    [`stage and commit ${changes} neighbouring changes`]: near,
    [`stage and commit ${changes} changes all over it`]: far,
    'diff of two branches that differ in as many': diff,
    'merge them': merge,
  };
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
