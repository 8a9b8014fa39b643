/** Staging of objects: the entry of an object whose bytes are stored. */

import { isSrvError } from '@srv/kernel';
import { pathKey } from '@srv/lib-records';
import { entryOf, pointerOf } from './entries.js';
import { decodeEntry, encodeEntry } from './entry-record.js';
import { isMet, preconditionFailed } from './write-condition.js';
import type { Logger } from '@srv/kernel';
import type { Repository, StoredValue } from '../refs/contract.js';
import type { Entry, PutRequest } from './contract.js';
import type { EntryRecord } from './entry-record.js';
import type { ObjectStores } from './object-reads.js';

interface StagedObject {
  readonly repository: Repository;
  readonly branch: string;
  readonly path: string;
  readonly record: EntryRecord;
}

interface ObjectStagingOptions extends ObjectStores {
  readonly log: Logger;
}

export class ObjectStaging {
  readonly #options: ObjectStagingOptions;

  constructor(options: ObjectStagingOptions) {
    this.#options = options;
  }

  async stage(
    { repository, branch, path, record }: StagedObject,
    { condition, force = false }: Pick<PutRequest, 'condition' | 'force'>,
  ): Promise<Entry> {
    const { refs, block } = this.#options;
    const options = { force, condition: condition && ((current?: StoredValue) => isMet(condition, current && decodeEntry(current.data))) };
    await refs.set(repository, branch, pathKey(path), encodeEntry(record), options);
    return entryOf(block, repository, path, record);
  }

  /** Stages an object that was stored for it: its bytes are removed again when that fails. */
  async stageNew(object: StagedObject, request: Pick<PutRequest, 'condition' | 'force'>): Promise<Entry> {
    const { block, log } = this.#options;
    const { repository, path, record } = object;
    try {
      return await this.stage(object, request);
    } catch (error) {
      // A write that may have landed may have been committed: then its object must stay.
      if (isSrvError(error) && error.details['unwritten'] === true) {
        await block
          .remove(pointerOf(repository, record))
          .catch((late: unknown) => log.warn({ path, error: String(late) }, 'cannot remove an object that was not staged'));
      }
      throw error;
    }
  }

  /** Refuses early what a write would refuse. */
  async checkWrite(
    repository: Repository,
    branch: string,
    path: string,
    { force = false, condition }: Pick<PutRequest, 'force' | 'condition'>,
  ): Promise<void> {
    const { refs } = this.#options;
    const key = pathKey(path);
    await refs.checkBranchWrite(repository, branch, { force });
    if (!condition) return;
    const current = await refs.get(repository, branch, key);
    if (!isMet(condition, current && decodeEntry(current.data))) throw preconditionFailed(condition);
  }
}
