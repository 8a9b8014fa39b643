/** `srv kv load`. */
import { absent } from '@srv/kernel';
import { openDump } from './read-dump.js';
import { moveTo } from './repository-records.js';
import { withStore } from './store.js';
import type { KvStore } from '@srv/kernel';
import type { ServerCommandContext } from '@srv/lib-commands';
import type { DumpEntry } from './dump-format.js';

interface LoadOptions {
  /** What happens to records that exist: they stay, or are replaced. */
  readonly strategy: 'skip' | 'overwrite';
  /** Only what belongs to this repository and is not in a dump of its refs; it goes into the repository of this name here. */
  readonly repository?: string | undefined;
}

export interface Loaded {
  readonly written: number;
  readonly skipped: number;
}

/**
 * Says that every access key has its way back to its user (plugin `auth`). What is loaded need not be so, since other programs
 * make no ways back: the mark is not loaded, and without it the next start adds them before it serves.
 */
const mark = { partition: 'auth', key: 'accessKeyOwners_complete' };
const isMark = ({ partition, key }: DumpEntry): boolean => partition === mark.partition && key === mark.key;
/** Writes at a time: the store syncs them together. */
const together = 128;

/** @param file `-`: standard input. The whole file is checked before the first record is written. */
export async function load(context: ServerCommandContext, file: string, { strategy, repository }: LoadOptions): Promise<Loaded> {
  const entries = await openDump(file);
  let total = 0;
  for await (const entry of entries()) if (!isMark(entry)) total++;
  return withStore(context, async (kv, kernel) => {
    const moved = repository === undefined ? undefined : await moveTo(repository, entries, kernel, kv);
    let written = 0;
    let isMarked = true;
    const write = async (batch: readonly DumpEntry[]): Promise<void> => {
      // Before the first of them: a load that breaks off leaves no mark, either.
      if (isMarked && batch.some(({ partition }) => partition === mark.partition)) {
        await kv.delete(mark.partition, Buffer.from(mark.key));
        isMarked = false;
      }
      const results = await Promise.all(batch.map(entry => put(kv, entry, strategy)));
      written += results.filter(Boolean).length;
    };
    let batch: DumpEntry[] = [];
    for await (const given of entries()) {
      const entry = moved ? moved(given) : given;
      if (!entry || isMark(entry)) continue;
      batch.push(entry);
      if (batch.length < together) continue;
      await write(batch);
      batch = [];
    }
    await write(batch);
    return { written, skipped: total - written };
  });
}

/** @returns whether it was written. */
async function put(kv: KvStore, { partition, key, value }: DumpEntry, strategy: LoadOptions['strategy']): Promise<boolean> {
  const [name, bytes] = [Buffer.from(key), Buffer.from(value, 'base64')];
  if (strategy === 'skip') return kv.setIf(partition, name, bytes, absent);
  await kv.set(partition, name, bytes);
  return true;
}
