import { fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TableReader, TableWriter, memoryFile } from '@srv/engine/tables/format';
import { ClassicLevel as Level } from 'classic-level';
import { median, rate } from './benchmark.js';
import { openEngine } from './engine.js';
import { recordChanges, recordKey, recordValue } from './records.js';
import type { CommittedStore } from '@srv/engine/contract';
import type { Benchmark, BenchmarkRow } from './benchmark.js';

const namespace = 'local://bench';

const sizes = {
  full: { records: 1_000_000, small: 10_000, lookups: 200_000, memory: 5_000_000, repeat: 5 },
  smoke: { records: 20_000, small: 2_000, lookups: 5_000, memory: 50_000, repeat: 1 },
};

export default {
  name: 'committed',
  description: 'Sorted tables, ranges and metaranges against a LevelDB in the same run',
  async run({ smoke }) {
    const size = smoke ? sizes.smoke : sizes.full;
    const engine = await openEngine();
    try {
      return [
        ...(await tables(size, join(engine.folder, 'level'))),
        ...(await store(engine.kernel.services.get('engine').tables, size)),
        { what: `peak memory of a process that builds ${size.memory} entries`, value: await peakMemory(size.memory), unit: 'MiB' },
      ];
    } finally {
      await engine.close();
    }
  },
} satisfies Benchmark;

/** The table code itself, on one thread. */
async function tables({ records, repeat }: typeof sizes.full, folder: string): Promise<BenchmarkRow[]> {
  const entries = Array.from({ length: records }, (_, i) => ({ key: recordKey(i), value: recordValue(i) }));
  let table = Buffer.alloc(0);
  const write = await median(repeat, () => {
    const chunks: Buffer[] = [];
    const writer = new TableWriter(bytes => chunks.push(Buffer.from(bytes)), { type: 'ranges' });
    for (const { key, value } of entries) writer.add(key, value);
    writer.finish();
    table = Buffer.concat(chunks);
  });
  const level = new Level<Buffer, Buffer>(folder, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  const put = await median(repeat, async () => {
    await level.clear();
    for (let at = 0; at < records; at += 1000) await level.batch(entries.slice(at, at + 1000).map(e => ({ type: 'put', ...e })));
  });
  const scan = await median(repeat, () => {
    const cursor = new TableReader(memoryFile('bench', table)).cursor();
    for (cursor.first(); cursor.valid; cursor.next()) if (cursor.key.length + cursor.value.length === 0) throw new Error('empty record');
  });
  const iterate = await median(repeat, async () => {
    const iterator = level.iterator();
    for (let page = await iterator.nextv(1000); page.length > 0; page = await iterator.nextv(1000));
    await iterator.close();
  });
  await level.close();
  await rm(folder, { recursive: true, force: true });
  return [
    {
      what: `write ${records} entries`,
      value: rate(records, write),
      unit: 'entries/s',
      ratio: { to: 'LevelDB batches', value: put / write },
    },
    {
      what: `scan ${records} entries`,
      value: rate(records, scan),
      unit: 'entries/s',
      ratio: { to: 'LevelDB iterator', value: iterate / scan },
    },
  ];
}

/** The whole store: worker, local copies, uploads with fsync. */
async function store(committed: CommittedStore, { records, small, lookups, repeat }: typeof sizes.full): Promise<BenchmarkRow[]> {
  const build = async (base: string, changes: ReturnType<typeof recordChanges>): Promise<string> =>
    (await committed.apply({ namespace, base, changes })).metarangeId;
  const start = performance.now();
  const large = await build('', recordChanges(records));
  const buildTime = performance.now() - start;
  const little = await build('', recordChanges(small));
  const wanted = Array.from({ length: lookups }, (_, i) => recordKey((i * 7919) % records));
  const found = await median(repeat, async () => {
    for (const key of wanted) await committed.get(namespace, large, key);
  });
  let version = 0;
  const change = (base: string, from: number): Promise<number> =>
    median(repeat, () => build(base, recordChanges(100, { from, version: ++version })));
  const middle = Math.floor(records / 2);
  await change(little, Math.floor(small / 2));
  const onLittle = await change(little, Math.floor(small / 2));
  const places = [0.1, 0.3, 0.5, 0.7, 0.9].map(share => Math.floor(share * records));
  let onLarge = 0;
  for (const place of places) {
    await change(large, place);
    onLarge += (await change(large, place)) / places.length;
  }
  const sizes: number[] = [];
  for (const place of places) sizes.push(await rangeSize(committed, large, recordKey(place)));
  const near = await build(large, recordChanges(10, { from: middle, version: ++version }));
  const far = await build(large, recordChanges(10, { step: Math.floor(records / 10), version: ++version }));
  const compare = async (right: string): Promise<number> => {
    const work = async (): Promise<void> => {
      for await (const _ of committed.diff({ namespace, left: large, right }));
    };
    await work();
    return median(Math.max(repeat, 3), work);
  };
  return [
    { what: `build ${records} entries in a worker, uploaded`, value: rate(records, buildTime), unit: 'entries/s' },
    { what: 'point lookups, warm, one thread', value: rate(lookups, found), unit: 'lookups/s' },
    { what: `apply 100 neighbouring changes to ${small} entries`, value: round(onLittle), unit: 'ms' },
    {
      what: `the same on ${records} entries, average of five places (in ranges of ${sizes.join(', ')} entries)`,
      value: round(onLarge),
      unit: 'ms',
      ratio: { to: `${small} entries`, value: onLarge / onLittle },
    },
    {
      what: `diff of two metaranges of ${records} that differ in 10 neighbouring keys, warm`,
      value: round(await compare(near)),
      unit: 'ms',
    },
    { what: 'the same with 10 keys spread over all ranges', value: round(await compare(far)), unit: 'ms' },
  ];
}

/** Entries of the range that holds a key: what a change there rewrites. */
async function rangeSize(committed: CommittedStore, metarange: string, key: Buffer): Promise<number> {
  const id = await committed.rangeOf(namespace, metarange, key);
  for await (const page of committed.ranges(namespace, metarange)) {
    const found = page.find(range => range.id === id);
    if (found) return found.count;
  }
  return 0;
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** MiB a fresh process needs at most. */
function peakMemory(entries: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('./build-memory.js', import.meta.url), [String(entries)]);
    child.once('message', peak => resolve(Number(peak)));
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`the memory benchmark ended with ${code}`)));
  });
}
