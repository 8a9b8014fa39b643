/** A folder as a killed process leaves it: several tables, a manifest with several edits, and a log with records. */
import { link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@srv/kernel/testing';
import { ClassicLevel as Level } from 'classic-level';
import { checkLog } from '../src/server/log-check.js';
import { recordKey } from '../src/server/record-key.js';
import type { SeededRandom } from '@srv/kernel/testing';

export const partition = 'p';

/** Bytes of a memtable: the smallest that LevelDB takes. */
const memtableBytes = 64 << 10;
const valueBytes = 1000;

export interface KilledDatabase {
  readonly folder: string;
  /** Every acknowledged record: value by key. */
  readonly records: ReadonlyMap<string, Buffer>;
}

/** @param work an empty folder. @param writes at least 200, to fill several memtables. */
export async function killedDatabase(work: string, writes: number, { below }: SeededRandom): Promise<KilledDatabase> {
  const live = join(work, 'live');
  const db = new Level<Buffer, Buffer>(live, { keyEncoding: 'buffer', valueEncoding: 'buffer', writeBufferSize: memtableBytes });
  await db.open();
  const records = new Map<string, Buffer>();
  for (let i = 0; i < writes; i++) {
    const key = `key-${below(writes)}`;
    const value = Buffer.from(Array.from({ length: valueBytes }, () => below(256)));
    await db.put(recordKey(partition, Buffer.from(key)), value);
    records.set(key, value);
  }
  // One log: no memtable is being written to a table.
  await until(async () => (await logsIn(live)).length === 1);
  const folder = join(work, 'killed');
  await copyByLinks(live, folder);
  await db.close();
  return { folder, records };
}

/** A copy that takes no time: LevelDB replaces its files and never writes into one that it finds. */
export async function copyByLinks(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of await readdir(from)) if (!name.startsWith('LO')) await link(join(from, name), join(to, name));
}

/** Names, oldest first. */
export async function logsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter(name => name.endsWith('.log')).sort();
}

export async function recordsOf(log: string): Promise<Buffer[]> {
  const records: Buffer[] = [];
  await checkLog(log, record => records.push(Buffer.from(record)));
  return records;
}
