/** Metadata files that records name: commits, tasks, imports, pins, whatever a plugin keeps of a repository. */

import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { isSrvError } from '@srv/kernel';
import { partitionOf } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import { inNamespace } from '../prepare/places.js';
import type { CommittedStore, Repository } from '@srv/engine/contract';
import type { BlockStore, KvStore } from '@srv/kernel';

const manifestName = 'refs_manifest.json';
/** Digits of an id. */
const idLength = 64;
/** Bytes between two pauses: a few milliseconds where all of them are digits. */
const pauseEvery = 16_384;

const isDigit = new Uint8Array(256);
for (const digit of Buffer.from('0123456789abcdef')) isDigit[digit] = 1;

/**
 * Finds files in records by the texts that may be their ids. Ids of other things, such as commits, look the same: those that
 * no file has are left out.
 */
export class NamedFiles {
  readonly found = new Set<string>();
  readonly #isFile: (id: string) => boolean;
  #bytes = 0;

  constructor(isFile: (id: string) => boolean) {
    this.#isFile = isFile;
  }

  /** Anyone may write long texts, such as messages of commits: other work gets its turn within each. */
  async addFrom(record: Buffer): Promise<void> {
    let digits = 0;
    for (let end = 1; end <= record.length; end++) {
      digits = isDigit[record[end - 1] ?? 0] === 1 ? digits + 1 : 0;
      // Longer runs of digits may have an id anywhere.
      if (digits >= idLength) this.#note(record.toString('latin1', end - idLength, end));
      if (++this.#bytes % pauseEvery === 0) await setImmediate();
    }
  }

  #note(id: string): void {
    if (this.#isFile(id)) this.found.add(id);
  }
}

/** Files that any record of the repository names, known kinds or not. @throws the store's error: a part is never taken for all. */
export async function namedByRecords(kv: KvStore, repository: Repository, isFile: (id: string) => boolean): Promise<ReadonlySet<string>> {
  const named = new NamedFiles(isFile);
  for await (const page of kv.scan(partitionOf(repository))) {
    for (const { value } of page) await named.addFrom(value);
    await setImmediate();
  }
  return named.found;
}

/** Files in the manifest of the last dump of references. */
export async function namedByManifest(
  repository: Repository,
  { block, committed }: { readonly block: BlockStore; readonly committed: CommittedStore },
  isFile: (id: string) => boolean,
): Promise<ReadonlySet<string>> {
  const folder = await committed.folderOf(namespaceOf(repository));
  const named = new NamedFiles(isFile);
  try {
    await named.addFrom(await buffer(await block.get(inNamespace(repository, `${folder}/${manifestName}`))));
  } catch (error) {
    if (!isSrvError(error, 'no_data')) throw error;
  }
  return named.found;
}
