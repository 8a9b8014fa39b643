/**
 * Announces content that an operation refers to again although no branch may contain it: an old commit that becomes a
 * head, an address that is staged again. Garbage collection keeps it, in whichever process it runs.
 */
import { usualWait } from './collection-lease.js';
import { pin } from './stored-pins.js';
import type { KvStore } from '@srv/kernel';
import type { PinnedContent, Repository } from '../contract.js';

interface PinsOptions {
  readonly kv: KvStore;
}

export class Pins {
  readonly #options: PinsOptions;

  constructor(options: PinsOptions) {
    this.#options = options;
  }

  /**
   * Runs `work` while `content` is protected from removal.
   * @throws SrvError `unavailable` when a collector does not finish a batch; what `work` throws.
   */
  async withPins<T>(repository: Repository, content: PinnedContent, work: () => Promise<T>): Promise<T> {
    const { kv } = this.#options;
    const release = await pin(repository, content, { kv, times: usualWait });
    try {
      return await work();
    } finally {
      await release();
    }
  }
}
