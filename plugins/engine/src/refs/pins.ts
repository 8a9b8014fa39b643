/**
 * Announces content that an operation refers to again although no branch may contain it: an old commit that becomes a
 * head, an address that is staged again. Garbage collection taps the hook to keep it.
 */
import type { PinHook, PinnedContent, Repository } from './contract.js';

export class Pins {
  #hook: PinHook | undefined;

  use(hook: PinHook): void {
    this.#hook = hook;
  }

  /** Runs `work` while `content` is protected from removal. */
  async withPins<T>(repository: Repository, content: PinnedContent, work: () => Promise<T>): Promise<T> {
    const release = await this.#hook?.(repository, content);
    try {
      return await work();
    } finally {
      await release?.();
    }
  }
}
