/** A file that may not exist. */
import { isSrvError } from '@srv/kernel';
import type { Engine, Entry, Repository } from '@srv/engine/contract';

/** @returns `undefined` for what does not exist, and for paths that nothing can have. */
export async function entryAt(engine: Engine, repository: Repository, ref: string, path: string): Promise<Entry | undefined> {
  try {
    return await engine.getEntry(repository, ref, path);
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid')) return undefined;
    throw error;
  }
}
