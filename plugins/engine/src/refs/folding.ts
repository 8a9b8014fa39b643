/**
 * Folds the uncommitted rows of a branch into a metarange, so that reads take as long as those of a commit however many rows there
 * are. Nothing a caller sees changes by it, and the rows stay until they are committed.
 */
import { isSrvError, messageOf } from '@srv/kernel';
import { partitionOf } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import { foldedRows, unfoldedTokens } from './folded-rows.js';
import { metarangeOf } from './keys.js';
import { scanRows } from './staging.js';
import type { KvStore, Logger } from '@srv/kernel';
import type { CommittedStore } from '../tables/contract.js';
import type { Branches } from './branches.js';
import type { Commits } from './commits.js';
import type { FoldedRows, Repository } from './contract.js';
import type { HeadUpdate } from './head-update.js';

interface FoldingOptions {
  readonly kv: KvStore;
  readonly committed: CommittedStore;
  readonly branches: Branches;
  readonly commits: Commits;
  readonly head: HeadUpdate;
  readonly log: Logger;
  /** Rows that one read may step over before the branch is folded; 0: reads fold none. */
  readonly foldAfter: number;
}

export class Folding {
  readonly #options: FoldingOptions;
  /** Branches that are being folded, one after the other, by repository and id. */
  readonly #waiting = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(options: FoldingOptions) {
    this.#options = options;
  }

  /** Folds the branch when a read had to step over many rows. */
  noteWalk(repository: Repository, branchId: string, rows: number): void {
    const { foldAfter } = this.#options;
    if (foldAfter > 0 && rows >= foldAfter) void this.#soon(repository, branchId);
  }

  /** Returns when it has ended; what goes wrong is logged. @throws SrvError `not_found` for an unknown branch. */
  async compactBranch(repository: Repository, branchId: string): Promise<void> {
    await this.#options.branches.get(repository, branchId);
    await this.#soon(repository, branchId);
  }

  /** What of the branch is folded now. */
  async branchCompaction(repository: Repository, branchId: string): Promise<FoldedRows | undefined> {
    return foldedRows(await this.#options.branches.get(repository, branchId));
  }

  /** Ends the work under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#last;
  }

  /** One branch at a time: several would take the threads from commits. */
  #soon(repository: Repository, branchId: string): Promise<void> {
    const key = `${partitionOf(repository)} ${branchId}`;
    const running = this.#waiting.get(key);
    if (running || this.#stop.signal.aborted) return running ?? Promise.resolve();
    const { log } = this.#options;
    const folding = this.#last
      .then(() => this.#fold(repository, branchId))
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted && !isSrvError(error, 'not_found'))
          log.warn(
            { repository: repository.id, branch: branchId, error: messageOf(error) },
            'uncommitted entries of a branch not compacted',
          );
      })
      .finally(() => this.#waiting.delete(key));
    this.#waiting.set(key, folding);
    this.#last = folding;
    return folding;
  }

  async #fold(repository: Repository, branchId: string): Promise<void> {
    const { kv, committed, commits, head } = this.#options;
    const { signal } = this.#stop;
    if (signal.aborted) return;
    await head.fold(repository, branchId, async branch => {
      const base = foldedRows(branch)?.metarangeId ?? (await metarangeOf(repository, branch, commits));
      const changes = scanRows(kv, unfoldedTokens(branch));
      const { metarangeId } = await committed.applyStaged({ namespace: namespaceOf(repository), base, changes, signal });
      return metarangeId;
    });
  }
}
