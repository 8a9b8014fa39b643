/**
 * A branch as one read returned it, for readers that need several reads. A commit retires the partitions the branch
 * named, and retired partitions are emptied after a while: a row missing there counts only while the branch still names
 * them.
 */
import type { KvStore } from '@srv/kernel';
import type { Branch } from './contract.js';

/** How long retired partitions keep their rows. */
export interface Retirement {
  /** Milliseconds: the least time this program keeps them. */
  readonly keptFor: number;
  /** Other programs may use the database. They empty a partition as soon as no branch names it. */
  readonly isForeign: boolean;
}

/** Whether other programs may use the database. Peers of this one keep retired partitions as long as it does. */
export function isForeign({ isShared, isSharedWithPeers = false }: KvStore): boolean {
  return isShared && !isSharedWithPeers;
}

/** What a snapshot is read from. */
interface SnapshotSource<T> {
  readonly read: () => Promise<T>;
  /** The branch of a value that was read; `undefined` for a commit, which never changes. */
  readonly branchOf: (value: T) => Branch | undefined;
  readonly retirement: Retirement;
}

export class BranchSnapshot<T> {
  readonly value: T;
  readonly #branch: Branch | undefined;
  readonly #at: number;
  readonly #readAgain: () => Promise<Branch | undefined>;
  readonly #retirement: Retirement;

  private constructor(value: T, at: number, { branchOf, read, retirement }: SnapshotSource<T>) {
    this.value = value;
    this.#branch = branchOf(value);
    this.#at = at;
    this.#readAgain = async () => branchOf(await read());
    this.#retirement = retirement;
  }

  static async read<T>(source: SnapshotSource<T>): Promise<BranchSnapshot<T>> {
    const at = performance.now();
    return new BranchSnapshot(await source.read(), at, source);
  }

  /** Whether every read since the snapshot saw all rows. Reads the branch again only when partitions may have been emptied. */
  async isCurrent(): Promise<boolean> {
    const { keptFor, isForeign } = this.#retirement;
    if (!this.#branch || (!isForeign && performance.now() - this.#at < keptFor)) return true;
    const now = await this.#readAgain();
    return now !== undefined && now.stagingToken === this.#branch.stagingToken && showsSame(now, this.#branch);
  }
}

/** Whether two reads of a branch agree, except for its staging partition. */
export function showsSame(a: Branch, b: Branch): boolean {
  return (
    a.commitId === b.commitId &&
    a.sealedTokens.length === b.sealedTokens.length &&
    a.sealedTokens.every((token, i) => token === b.sealedTokens[i])
  );
}
