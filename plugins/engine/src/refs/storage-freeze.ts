/**
 * The last steps of a move to another storage namespace: no write that stored its bytes in the old one succeeds from a moment
 * on, and what has succeeded is known. `storage-epoch.ts` says how writes notice; README.md, why nothing is lost.
 */
import { SrvError, isSrvError } from '@srv/kernel';
import { atEpoch, epochOf } from './storage-epoch.js';
import type { Branches } from './branches.js';
import type { Repository } from './contract.js';
import type { Repositories } from './repositories.js';
import type { RefRetries } from './retried-operations.js';

interface StorageFreezeOptions {
  readonly repositories: Repositories;
  readonly branches: Branches;
  readonly retries: RefRetries;
}

export class StorageFreeze {
  readonly #options: StorageFreezeOptions;

  constructor(options: StorageFreezeOptions) {
    this.#options = options;
  }

  /**
   * From its return on no change of a branch succeeds, on any server, whose data were not stored before; until
   * {@link relocateRepository} or {@link thaw}. Called again it continues.
   * @throws SrvError `conflict` when another move has the repository.
   */
  async freeze(repository: Repository, move: string): Promise<void> {
    const now = await this.#options.repositories.relocate(repository, now => {
      if (now.frozenBy === move) return undefined;
      if (now.frozenBy !== undefined || now.state !== 'active' || epochOf(now) !== epochOf(repository)) throw endedElsewhere(repository);
      return { ...now, frozenBy: move };
    });
    await this.#raiseBranches(now, epochOf(now) + 1);
  }

  /** Puts the frozen repository at its new place, where its branches already expect it. It stays frozen for {@link unfreeze}. */
  async relocateRepository(
    repository: Repository,
    move: string,
    { storageId, storageNamespace }: Pick<Repository, 'storageId' | 'storageNamespace'>,
  ): Promise<Repository> {
    return this.#options.repositories.relocate(repository, now => {
      if (now.frozenBy !== move || epochOf(now) !== epochOf(repository)) throw endedElsewhere(repository);
      return atEpoch({ ...now, storageId, storageNamespace }, epochOf(now) + 1);
    });
  }

  /** Ends the freeze of a repository that has moved. */
  async unfreeze(repository: Repository, move: string): Promise<Repository> {
    return this.#options.repositories.relocate(repository, now => {
      if (now.frozenBy !== move) return undefined;
      const { frozenBy: _, ...free } = now;
      return free;
    });
  }

  /**
   * Ends the freeze of a repository that stays where it is. It counts as a move: writes from before the freeze are refused as
   * they are after one, so what a move still under way does is refused, too.
   * @param repository as it was when it was known to be where it was before the move. @throws SrvError `conflict` when it is
   * not there any more.
   */
  async thaw(repository: Repository, move: string): Promise<Repository> {
    const now = await this.#options.repositories.current(repository);
    if (now.frozenBy !== move) return now;
    if (epochOf(now) !== epochOf(repository)) throw endedElsewhere(repository);
    await this.#raiseBranches(now, epochOf(now) + 1);
    const moved = await this.relocateRepository(now, move, now);
    return this.unfreeze(moved, move);
  }

  async #raiseBranches(repository: Repository, epoch: number): Promise<void> {
    for await (const { id } of this.#options.branches.scan(repository))
      await this.#raise(repository, id, epoch).catch((error: unknown) => {
        // Deleted meanwhile.
        if (!isSrvError(error, 'not_found')) throw error;
      });
  }

  /**
   * Only the count changes. A write of the old one that has read the branch before had stored its bytes by then, so a copy that
   * begins later has them.
   */
  async #raise(repository: Repository, id: string, epoch: number): Promise<void> {
    const { branches, retries } = this.#options;
    await retries.run('update_branch', `update branch ${id}`, async () => {
      const record = await branches.readAsStored(repository, id);
      if (epochOf(record.value) === epoch) return true;
      return (await branches.replaceAtAnyEpoch(repository, atEpoch(record.value, epoch), record)) || undefined;
    });
  }
}

function endedElsewhere({ id }: Repository): SrvError {
  return new SrvError(
    'conflict',
    `repository ${id} has moved, or another move of it has begun, meanwhile; see cli repo move-storage srv://${id} --status`,
  );
}
