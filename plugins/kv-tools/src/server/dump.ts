/** `srv kv dump`. */
import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SrvError } from '@srv/kernel';
import { foreignPartitions, head, partitionsOf, tail } from './dump-format.js';
import { withStore } from './store.js';
import type { Kernel, KvEntry, KvStore } from '@srv/kernel';
import type { ServerCommandContext } from '@srv/lib-commands';
import type { DumpEntry } from './dump-format.js';

interface DumpOptions {
  readonly sections: readonly string[];
  /** Partitions in addition to those of the sections. */
  readonly partitions: readonly string[];
  /** Whatever the plugins know of, uncommitted changes included. */
  readonly allPartitions: boolean;
  /** `-`: standard output. */
  readonly output: string;
}

/** Writes the records, encrypted secrets included, into a file that only its owner may read. @returns how many. */
export async function dump(context: ServerCommandContext, { sections, partitions, allPartitions, output }: DumpOptions): Promise<number> {
  const named = [...partitionsOf(sections), ...partitions];
  return withStore(context, async (kv, kernel) => {
    const wanted = allPartitions ? await everyPartition(kernel, kv, named) : named;
    let count = 0;
    const text = Readable.from(document(kv, wanted, () => count++));
    // Ends the text, not standard output, which others may still use.
    if (output === '-') await pipeline(text, process.stdout, { end: false });
    else await writeWhole(text, output);
    return count;
  });
}

/** Into a file that did not exist, or not at all: half a dump looks like a whole one until it is loaded. */
async function writeWhole(text: Readable, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await pipeline(text, file.createWriteStream({ flush: true }));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Each once. Those of the sections come first: a database without them is not set up. */
async function everyPartition({ hooks }: Kernel, kv: KvStore, named: readonly string[]): Promise<string[]> {
  const found = new Set([...partitionsOf(['kv', 'auth', 'pulls']), ...named]);
  await hooks.partitions.promise(kv, partition => found.add(partition));
  for (const partition of foreignPartitions) found.add(partition);
  return [...found];
}

async function* document(kv: KvStore, partitions: readonly string[], counted: () => void): AsyncGenerator<string> {
  yield head(new Date());
  let separator = '\n';
  for (const partition of partitions) {
    for await (const page of kv.scan(partition)) {
      let text = '';
      for (const entry of page) {
        text += `${separator}${JSON.stringify(dumped(partition, entry))}`;
        separator = ',\n';
        counted();
      }
      yield text;
    }
  }
  yield `\n${tail}\n`;
}

/** @throws SrvError `unsupported` for a key that the format cannot hold. */
function dumped(partition: string, { key, value }: KvEntry): DumpEntry {
  const name = key.toString('utf8');
  if (!Buffer.from(name, 'utf8').equals(key))
    throw new SrvError(
      'unsupported',
      `a key of partition ${partition} is not UTF-8 (base64 ${key.toString('base64')}) and cannot be written to a dump; commit or remove what it names first`,
    );
  return { partition, key: name, value: value.toString('base64') };
}
