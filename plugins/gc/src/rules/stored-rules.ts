/** The rules of a repository, as an object in its storage namespace. Never cached: a run works by what is set now. */

import { buffer } from 'node:stream/consumers';
import { isSrvError } from '@srv/kernel';
import { checkWritable } from '@srv/lib-records';
import { retentionFile } from '../prepare/places.js';
import { decodeRules, encodeRules } from './record.js';
import { checkRules } from './rules.js';
import type { CommittedStore, Repository } from '@srv/engine/contract';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Rules } from './rules.js';

export class StoredRules {
  readonly #block: BlockStore;
  readonly #committed: CommittedStore;

  constructor(block: BlockStore, committed: CommittedStore) {
    this.#block = block;
    this.#committed = committed;
  }

  /** `undefined`: none are set. */
  async find(repository: Repository): Promise<Rules | undefined> {
    const pointer = await retentionFile(this.#committed, repository, 'rules/config.json');
    try {
      return decodeRules(await buffer(await this.#block.get(pointer)));
    } catch (error) {
      if (isSrvError(error, 'no_data')) return undefined;
      throw error;
    }
  }

  /** @throws SrvError `read_only`, `invalid`. */
  async set(repository: Repository, rules: Rules): Promise<void> {
    checkRules(rules);
    await this.#write(repository, encodeRules(rules));
  }

  async delete(repository: Repository): Promise<void> {
    await this.#write(repository, Buffer.alloc(0));
  }

  async #write(repository: Repository, bytes: Buffer): Promise<void> {
    checkWritable(repository);
    await this.#block.put(await retentionFile(this.#committed, repository, 'rules/config.json'), bytes, { size: bytes.length });
  }
}
