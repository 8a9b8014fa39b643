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
const keys = 400;
const writesCompacted = 250;
/** Three memtables and a part of one: LevelDB starts to compact once four memtables have become tables. */
const writesAfterwards = 160;

export interface KilledDatabase {
  readonly folder: string;
  /** Every acknowledged record: value by key. */
  readonly records: ReadonlyMap<string, Buffer>;
}

/**
 * The last edit of its manifest names a new log; an earlier edit replaced tables by others. That compaction is asked for and
 * waited for: one that LevelDB starts may end after the last write, and its edit would then be the last.
 *
 * @param work an empty folder.
 */
export async function killedDatabase(work: string, { below }: SeededRandom): Promise<KilledDatabase> {
  const folder = join(work, 'killed');
  const db = new Level<Buffer, Buffer>(folder, { keyEncoding: 'buffer', valueEncoding: 'buffer', writeBufferSize: memtableBytes });
  await db.open();
  const records = new Map<string, Buffer>();
  const write = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const key = `key-${below(keys)}`;
      const value = Buffer.from(Array.from({ length: valueBytes }, () => below(256)));
      await db.put(recordKey(partition, Buffer.from(key)), value);
      records.set(key, value);
    }
  };
  await write(writesCompacted);
  await db.compactRange(recordKey(partition, Buffer.alloc(0)), recordKey(partition, Buffer.of(0xff)));
  await write(writesAfterwards);
  // One log: no memtable is being written to a table.
  await until(async () => (await logsIn(folder)).length === 1);
  // Closing writes nothing: what a memtable holds remains in the log alone.
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
