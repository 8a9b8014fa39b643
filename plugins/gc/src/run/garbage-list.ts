/** The list of a run's garbage in the repository's namespace: any server can resume it, and reads can name the run. */
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { SrvError, isSrvError } from '@srv/kernel';
import { retentionFile } from '../prepare/places.js';
import type { CommittedStore, Repository } from '@srv/engine/contract';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

export interface ListPlaces {
  readonly block: BlockStore;
  readonly committed: CommittedStore;
}

export function listPointer(repository: Repository, run: string, { committed }: ListPlaces): Promise<ObjectPointer> {
  return retentionFile(committed, repository, `runs/${run}/garbage.tsv`);
}

export async function storeList(repository: Repository, run: string, path: string, places: ListPlaces): Promise<void> {
  const { size } = await stat(path);
  // Until the store reads it, nothing else listens.
  const body = createReadStream(path).on('error', () => {});
  try {
    await places.block.put(await listPointer(repository, run, places), body, { size });
  } finally {
    body.destroy();
  }
}

/** Fetches the list of a run. @throws SrvError `not_found`. */
export async function fetchList(repository: Repository, run: string, path: string, places: ListPlaces): Promise<void> {
  try {
    await pipeline(await places.block.get(await listPointer(repository, run, places)), createWriteStream(path));
  } catch (error) {
    if (!isSrvError(error, 'no_data')) throw error;
    throw new SrvError('not_found', `run ${run} has left no list of garbage; start a new run`, { cause: error, details: { run } });
  }
}
