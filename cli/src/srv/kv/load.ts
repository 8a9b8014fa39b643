/** `srv kv load`. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { absent } from '@srv/kernel';
import type { SrvFlags } from '../main.js';
import { parseDump } from './dump-format.js';
import { withStore } from './store.js';

export interface LoadFlags extends SrvFlags {
  /** What happens to records that exist: they stay, or are replaced. */
  readonly strategy: 'skip' | 'overwrite';
}

export interface Loaded {
  readonly written: number;
  readonly skipped: number;
}

/** @param file `-`: standard input. The whole file is checked before the first record is written. */
export async function load(file: string, { strategy, ...flags }: LoadFlags): Promise<Loaded> {
  const entries = parseDump(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'), file);
  return withStore(flags, async kv => {
    let written = 0;
    for (const { partition, key, value } of entries) {
      const [name, bytes] = [Buffer.from(key), Buffer.from(value, 'base64')];
      if (strategy === 'overwrite') await kv.set(partition, name, bytes);
      else if (!(await kv.setIf(partition, name, bytes, absent))) continue;
      written++;
    }
    return { written, skipped: entries.length - written };
  });
}
