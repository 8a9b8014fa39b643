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

/** Every text in `record` that may be the id of a metadata file. Too many do no harm: they only stay. */
export function namesIn(record: Buffer): string[] {
  // Ids of other things, such as commits, look the same. Longer runs of digits may begin or end with one.
  return [...record.toString('latin1').matchAll(/(?=([0-9a-f]{64}))/g)].map(([, id = '']) => id);
}

/** Ids in any record of the repository, known kinds or not. @throws the store's error: a part is never taken for all. */
export async function namedByRecords(kv: KvStore, repository: Repository): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const page of kv.scan(partitionOf(repository))) {
    for (const { value } of page) for (const id of namesIn(value)) found.add(id);
    await setImmediate();
  }
  return found;
}

/** Ids in the manifest of the last dump of references. */
export async function namedByManifest(
  repository: Repository,
  { block, committed }: { readonly block: BlockStore; readonly committed: CommittedStore },
): Promise<string[]> {
  const folder = await committed.folderOf(namespaceOf(repository));
  try {
    return namesIn(await buffer(await block.get(inNamespace(repository, `${folder}/${manifestName}`))));
  } catch (error) {
    if (isSrvError(error, 'no_data')) return [];
    throw error;
  }
}
