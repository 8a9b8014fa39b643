/**
 * Looks at a branch over several reads. A commit retires the partitions the branch named, and retired partitions are
 * emptied after a while: what a reader misses there counts only while the branch is sure to name them still.
 */
import type { KvStore } from '@srv/kernel';
import type { Branch } from '../contract.js';

/** What is known of how long retired partitions keep their rows. */
export interface Retirement {
  /** Milliseconds this program keeps them at least. */
  readonly keptFor: number;
  /** Other programs may use the database, which empty partitions as soon as no branch names them. */
  readonly isForeign: boolean;
}

/** Whether other programs may use the database. Siblings of this one keep retired partitions as long as it does. */
export function isForeign({ isShared, isSharedWithSiblings = false }: KvStore): boolean {
  return isShared && !isSharedWithSiblings;
}

/** How to look. */
interface Looking<T> {
  readonly read: () => Promise<T>;
  /** The branch in what was read; absent: it is a commit, which never changes. */
  readonly branchOf: (found: T) => Branch | undefined;
  readonly retirement: Retirement;
}

/** What was found of a branch at a moment. */
export class Look<T> {
  readonly found: T;
  readonly #branch: Branch | undefined;
  readonly #at: number;
  readonly #readAgain: () => Promise<Branch | undefined>;
  readonly #retirement: Retirement;

  private constructor(found: T, at: number, { branchOf, read, retirement }: Looking<T>) {
    this.found = found;
    this.#branch = branchOf(found);
    this.#at = at;
    this.#readAgain = async () => branchOf(await read());
    this.#retirement = retirement;
  }

  static async take<T>(looking: Looking<T>): Promise<Look<T>> {
    const at = performance.now();
    return new Look(await looking.read(), at, looking);
  }

  /** Whether everything read so far was there to be found. The branch is asked for only when it may have been emptied. */
  async holds(): Promise<boolean> {
    const { keptFor, isForeign } = this.#retirement;
    if (!this.#branch || (!isForeign && performance.now() - this.#at < keptFor)) return true;
    const now = await this.#readAgain();
    return now !== undefined && now.stagingToken === this.#branch.stagingToken && showsSame(now, this.#branch);
  }
}

/** Whether two readings of a branch show the same but for its staging partition. */
export function showsSame(a: Branch, b: Branch): boolean {
  return (
    a.commitId === b.commitId &&
    a.sealedTokens.length === b.sealedTokens.length &&
    a.sealedTokens.every((token, i) => token === b.sealedTokens[i])
  );
}
