/**
 * Announces what is about to be referred to again although no branch may show it: an old commit that becomes a head, an
 * address that is staged again. The plugin that removes unreferenced objects guards such operations.
 */
import type { Repository, Revived, RevivalGuard } from '../contract.js';

export class Revivals {
  #guard: RevivalGuard | undefined;

  guard(guard: RevivalGuard): void {
    this.#guard = guard;
  }

  /** Runs `work` while everything named is sure to stay. */
  async holding<T>(repository: Repository, revived: Revived, work: () => Promise<T>): Promise<T> {
    const release = await this.#guard?.(repository, revived);
    try {
      return await work();
    } finally {
      await release?.();
    }
  }
}
