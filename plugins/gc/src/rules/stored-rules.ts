/** The rules of a repository, as an object in its storage namespace. Never cached: a run works by what is set now. */

import { buffer } from 'node:stream/consumers';
import { SrvError, isSrvError } from '@srv/kernel';
import { strongEtag } from '@srv/lib-api/http';
import { checkWritable } from '@srv/lib-records';
import { KeyedLock } from '@srv/lib-stores/block';
import { retentionFile } from '../prepare/places.js';
import { decodeRules, encodeRules, etagOf } from './record.js';
import { checkRules } from './rules.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Rules } from './rules.js';

export class StoredRules {
  readonly #block: BlockStore;
  readonly #engine: Pick<Engine, 'tables' | 'requireUnmoved'>;
  /** By repository: a comparison and the write after it are one step here. Object stores have no such step for several servers. */
  readonly #writes = new KeyedLock();

  constructor(block: BlockStore, engine: Pick<Engine, 'tables' | 'requireUnmoved'>) {
    this.#block = block;
    this.#engine = engine;
  }

  /** `undefined`: none are set. */
  async find(repository: Repository): Promise<Rules | undefined> {
    const pointer = await retentionFile(this.#engine.tables, repository, 'rules/config.json');
    try {
      return decodeRules(await buffer(await this.#block.get(pointer)));
    } catch (error) {
      if (isSrvError(error, 'no_data')) return undefined;
      throw error;
    }
  }

  /**
   * @param ifMatch ETag of the rules to replace, empty for none.
   * @throws SrvError `read_only`, `invalid`, `precondition_failed` when other rules are set, `moving` while the repository moves to
   * another storage namespace.
   */
  async set(repository: Repository, rules: Rules, ifMatch?: string): Promise<void> {
    checkRules(rules);
    checkWritable(repository);
    await this.#writes.run(repository.id, async () => {
      if (ifMatch !== undefined && strongEtag(ifMatch) !== etagOf(await this.find(repository)))
        throw new SrvError('precondition_failed', 'Precondition failed: the retention rules were changed meanwhile; read them again');
      await this.#write(repository, encodeRules(rules));
    });
  }

  async delete(repository: Repository): Promise<void> {
    checkWritable(repository);
    await this.#writes.run(repository.id, () => this.#write(repository, Buffer.alloc(0)));
  }

  async #write(repository: Repository, bytes: Buffer): Promise<void> {
    await this.#block.put(await retentionFile(this.#engine.tables, repository, 'rules/config.json'), bytes, { size: bytes.length });
    await this.#engine.requireUnmoved(repository);
  }
}
