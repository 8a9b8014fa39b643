/** Indexing and searching on embedded storage. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { encodeEntry } from '@srv/engine/objects/entry';
import { encodeValue } from '@srv/engine/tables/format';
import { identifierType } from '@srv/lib-stores/block';
import { startSrv } from '@srv/test-servers';
import { median, middle, timeOf } from '@srv/test-servers/benchmark';
import type { Engine } from '@srv/engine/contract';
import type { Benchmark, BenchmarkRow } from '@srv/test-servers/benchmark';
import type { MetadataSearch } from '../src/contract.js';

const sizes = {
  full: { objects: 1_000_000, commit: 100_000, changes: 1000, repeat: 5 },
  smoke: { objects: 3000, commit: 300, changes: 10, repeat: 1 },
};
const repository = 'searched';
const namespace = 'local://searched';

export default {
  name: 'search',
  plugin: 'search',
  description:
    'The index of objects: made first, after commits of few and of many changes, and searched; without what the commit itself takes',
  async run({ smoke }) {
    const server = await startSrv({ plugins: ['search'], config: { 'search.period': '10h' } });
    const delay = monitorEventLoopDelay({ resolution: 1 });
    try {
      const { services } = server.kernel;
      const [engine, search] = [services.get('engine'), services.get('search')];
      await engine.createRepository({ id: repository, storageNamespace: namespace });
      return await measure(engine, search, { size: smoke ? sizes.smoke : sizes.full, delay });
    } finally {
      await server.stop();
    }
  },
} satisfies Benchmark;

interface Measurement {
  readonly size: typeof sizes.full;
  readonly delay: ReturnType<typeof monitorEventLoopDelay>;
}

async function measure(engine: Engine, search: MetadataSearch, { size, delay }: Measurement): Promise<BenchmarkRow[]> {
  const { objects, commit, changes, repeat } = size;
  await commitFiles(engine, { prefix: 'data/', from: 0, count: objects, step: 1 });
  const watch = memoryGrowth();
  delay.enable();
  const first = await timeOf(() => search.setSettings(repository, { branches: ['main'] }).then(() => indexed(search)));
  delay.disable();
  const delayed = delay.percentile(99) / 1e6;
  const indexing = watch.stop();
  const step = objects / changes;
  const scattered = await medianAfter(
    repeat,
    () => indexed(search),
    () => commitFiles(engine, { prefix: 'data/', from: 7, count: changes, step }),
  );
  const folder = await medianAfter(
    repeat,
    () => indexed(search),
    () => commitFiles(engine, { prefix: 'new/', from: 0, count: changes, step: 1 }),
  );
  const many = await medianAfter(
    1,
    () => indexed(search),
    () => commitFiles(engine, { prefix: 'z/', from: 0, count: commit, step: 1 }),
  );
  const selective = 'size > 4990 and path like "data/set-00*/*7.parquet"';
  const count = async (where: string): Promise<number> => {
    let found = 0;
    for await (const _ of search.rows(repository, 'main', { where })) found++;
    return found;
  };
  const found = await count(selective);
  const searching = await median(repeat, () => count(selective));
  const paths = await median(repeat, () => count('path like "*/part-00000777.parquet"'));
  const reading = memoryGrowth();
  await count('metadata.label = "cat" and path like "*7.parquet"');
  const searchMemory = reading.stop();
  const usage = await median(repeat, () => search.usage(repository, 'main', { prefix: 'data/' }));
  return [
    { what: `first index of ${objects} objects`, value: Math.round(first), unit: 'ms' },
    { what: 'memory of that', value: indexing, unit: 'MiB' },
    { what: 'event-loop delay meanwhile, p99', value: delayed, unit: 'ms' },
    { what: `index of a commit of ${changes} changes all over them`, value: Math.round(scattered), unit: 'ms' },
    { what: `index of a commit of ${changes} objects in a folder`, value: Math.round(folder), unit: 'ms' },
    { what: `index of a commit of ${commit} objects`, value: Math.round(many), unit: 'ms' },
    { what: `size and path, ${found} results`, value: Math.round(searching), unit: 'ms' },
    { what: 'path alone, in all folders', value: Math.round(paths), unit: 'ms' },
    { what: 'memory of a search that reads user metadata', value: searchMemory, unit: 'MiB' },
    { what: 'usage of the folders of a prefix', value: Math.round(usage), unit: 'ms' },
  ];
}

/** Like `median`, of work that something precedes each time. */
async function medianAfter(repeat: number, work: () => Promise<void>, prepare: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < repeat; i++) {
    await prepare();
    times.push(await timeOf(work));
  }
  return middle(times);
}

/** Resolves when the head of `main` is indexed. */
async function indexed(search: MetadataSearch): Promise<void> {
  for (;;)
    try {
      await search.search(repository, 'main', { where: 'size < 0', amount: 1 });
      return;
    } catch (error) {
      if (!String(error).includes('is being made')) throw error;
    }
}

interface Files {
  readonly prefix: string;
  readonly from: number;
  readonly count: number;
  readonly step: number;
}

let version = 0;

/** One commit of objects that are only metadata. */
async function commitFiles(engine: Engine, { prefix, from, count, step }: Files): Promise<void> {
  version++;
  const changes = (async function* () {
    for (let at = 0; at < count; at += 1000)
      yield Array.from({ length: Math.min(1000, count - at) }, (_, i) => {
        const number = from + Math.floor((at + i) * step);
        const entry = {
          address: `data/address-${number}-${version}`,
          addressType: identifierType.relative,
          size: (number * 7919) % 5000,
          etag: `d41d8cd98f00b204e98${String(number + version).padStart(13, '0')}`,
          lastModified: new Date(Date.UTC(2026, 0) + number * 1000),
          metadata: number % 3 === 0 ? { label: number % 2 === 0 ? 'cat' : 'dog' } : {},
          contentType: 'application/octet-stream',
        };
        const path = `${prefix}set-${String(Math.floor(number / 10_000)).padStart(3, '0')}/part-${String(number).padStart(8, '0')}.parquet`;
        return { key: Buffer.from(path), value: encodeValue(encodeEntry(entry)) };
      });
  })();
  const target = await engine.getRepository(repository);
  const base = (await engine.getCommit(target, 'main')).metarangeId;
  const { metarangeId } = await engine.tables.apply({ namespace, base, changes });
  const { committer, message } = { committer: 'bench', message: `${version}` };
  await engine.commit(target, 'main', { committer, message, sourceMetarange: metarangeId });
}

/** Watches how much the process grows. */
function memoryGrowth() {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  return {
    /** MiB. */
    stop(): number {
      clearInterval(timer);
      return Math.round((peak - before) / 2 ** 20);
    },
  };
}
