/**
 * Announces content that an operation refers to again although no branch may contain it: an old commit that becomes a
 * head, an address that is staged again. Garbage collection taps the hook to keep it.
 */
import type { Hooks } from '@srv/kernel';
import type { PinnedContent, Repository } from './contract.js';

export class Pins {
  readonly #hooks: Pick<Hooks, 'pin'>;

  constructor(hooks: Pick<Hooks, 'pin'>) {
    this.#hooks = hooks;
  }

  /** Runs `work` while `content` is protected from removal. */
  async withPins<T>(repository: Repository, content: PinnedContent, work: () => Promise<T>): Promise<T> {
    const releases: (() => Promise<void>)[] = [];
    try {
      await this.#hooks.pin.promise({ repository, content, onRelease: release => void releases.push(release) });
      return await work();
    } finally {
      for (const release of releases) await release();
    }
  }
}
