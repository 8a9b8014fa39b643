/**
 * Announces content that an operation refers to again although no branch may contain it: an old commit that becomes a
 * head, an address that is staged again. Garbage collection keeps it, in whichever process it runs.
 */
import { messageOf } from '@srv/kernel';
import { usualWait } from './collection-lease.js';
import { pin } from './stored-pins.js';
import type { KvStore, Logger } from '@srv/kernel';
import type { PinnedContent, Repository } from '../contract.js';

interface PinsOptions {
  readonly kv: KvStore;
  readonly log: Pick<Logger, 'warn'>;
}

export class Pins {
  readonly #options: PinsOptions;

  constructor(options: PinsOptions) {
    this.#options = options;
  }

  /**
   * Runs `work` while `content` is protected from removal. What `work` did has happened: a pin that cannot be ended does not
   * change its result.
   * @throws SrvError `unavailable` when a collector does not finish a batch; what `work` throws.
   */
  async withPins<T>(repository: Repository, content: PinnedContent, work: () => Promise<T>): Promise<T> {
    const { kv, log } = this.#options;
    const release = await pin(repository, content, { kv, times: usualWait });
    try {
      return await work();
    } finally {
      await release().catch((error: unknown) =>
        log.warn(
          { repository: repository.id, error: messageOf(error) },
          'cannot end the pin of an operation; garbage collection keeps what it names for up to 7 days',
        ),
      );
    }
  }
}
