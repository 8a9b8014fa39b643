/** Objects that were collected and can be brought back for a while. */
import { SrvError, isSrvError } from '@srv/kernel';
import { workThrough } from '@srv/lib-records';
import { namespaceOf, storageRoot, walkUri } from '@srv/lib-stores/block';
import { inNamespace } from '../prepare/places.js';
import { isOver } from './run-record.js';
import type { CommittedStore, Repository } from '@srv/engine/contract';
import type { BlockStore } from '@srv/lib-stores/block';
import type { RunRecord, RunRecords } from './run-record.js';

export interface QuarantineSources {
  readonly block: BlockStore;
  readonly committed: CommittedStore;
  readonly records: RunRecords;
}

const dayMs = 86_400_000;
/** Objects copied or removed at a time. */
const parallel = 16;

/** Copies objects back to their places. @param prefix of their keys. @returns how many. */
export async function restoreRun(
  repository: Repository,
  record: RunRecord,
  prefix: string,
  { block, committed }: QuarantineSources,
): Promise<number> {
  if (record.quarantineDays === 0)
    throw new SrvError('conflict', `run ${record.id} kept nothing: its objects were deleted, or their time is over`, {
      details: { run: record.id },
    });
  const folder = await folderOf(repository, record.id, committed);
  let restored = 0;
  for await (const keys of quarantined(repository, `${folder}/${prefix}`, block)) {
    await Promise.all(keys.map(key => block.copy(inNamespace(repository, key), inNamespace(repository, key.slice(folder.length + 1)))));
    restored += keys.length;
  }
  return restored;
}

/** Deletes what has been in quarantine for long enough, however its run ended. A run that is resumed is not over. @throws the first failure, after the other runs. */
export async function emptyQuarantine(repository: Repository, { block, committed, records }: QuarantineSources): Promise<void> {
  await workThrough(records.scan(repository), async record => {
    const { id, quarantineDays, updatedAt } = record;
    if (quarantineDays === 0 || !isOver(record) || Date.now() - updatedAt < quarantineDays * dayMs) return;
    const folder = await folderOf(repository, id, committed);
    let isEmpty = true;
    for await (const keys of quarantined(repository, `${folder}/`, block)) {
      const failures = await block.removeAll(keys.map(key => inNamespace(repository, key)));
      isEmpty &&= failures.length === 0;
    }
    // What is left is tried again.
    if (isEmpty) await records.update(repository, id, () => ({ quarantineDays: 0 }));
  });
}

async function folderOf(repository: Repository, run: string, committed: CommittedStore): Promise<string> {
  return `${await committed.folderOf(namespaceOf(repository))}/quarantine/${run}`;
}

async function* quarantined(repository: Repository, prefix: string, block: BlockStore): AsyncGenerator<string[]> {
  const root = storageRoot(block, namespaceOf(repository));
  // Whole folders only: some stores walk nothing else.
  const walked = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  try {
    for await (const page of block.walk(walkUri(block, namespaceOf(repository), walked), { etags: false })) {
      const keys = page.map(({ address }) => address.slice(root.length)).filter(key => key.startsWith(prefix));
      for (let at = 0; at < keys.length; at += parallel) yield keys.slice(at, at + parallel);
    }
  } catch (error) {
    if (!isSrvError(error, 'not_found', 'no_data')) throw error;
  }
}
