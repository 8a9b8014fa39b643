/** `srv kv dump`. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { KvStore } from '@srv/kernel';
import type { SrvFlags } from '../main.js';
import { dumpVersion, partitionsOf } from './dump-format.js';
import type { DumpEntry } from './dump-format.js';
import { withStore } from './store.js';

export interface DumpFlags extends SrvFlags {
  readonly sections: readonly string[];
  /** Partitions besides those of the sections. */
  readonly partition?: readonly string[];
  /** `-`: standard output. */
  readonly output: string;
}

/** Writes the records, encrypted secrets included, into a file that only its owner may read. @returns how many. */
export async function dump({ sections, partition = [], output, ...flags }: DumpFlags): Promise<number> {
  const partitions = [...partitionsOf(sections), ...partition];
  return withStore(flags, async kv => {
    let count = 0;
    const text = Readable.from(document(kv, partitions, () => count++));
    // Ends the text, not standard output, which others may still use.
    if (output === '-') await pipeline(text, process.stdout, { end: false });
    else await pipeline(text, createWriteStream(output, { flags: 'wx', mode: 0o600, flush: true }));
    return count;
  });
}

async function* document(kv: KvStore, partitions: readonly string[], counted: () => void): AsyncGenerator<string> {
  yield `{"version":"${dumpVersion}","timestamp":"${new Date().toISOString()}","entries":[`;
  let separator = '\n';
  for (const partition of partitions) {
    for await (const page of kv.scan(partition)) {
      for (const { key, value } of page) {
        const entry: DumpEntry = { partition, key: key.toString('utf8'), value: value.toString('base64') };
        yield `${separator}${JSON.stringify(entry)}`;
        separator = ',\n';
        counted();
      }
    }
  }
  yield '\n]}\n';
}
