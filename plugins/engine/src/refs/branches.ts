/** Branch records: one value per branch, changed only by compare-and-set. */

import { SrvError } from '@srv/kernel';
import { Records, isMoving, partitionOf, xid } from '@srv/lib-records';
import { decodeBranch, encodeBranch } from './messages/index.js';
import { atAnotherCommit } from './reference-rules.js';
import { atEpoch, currentRepository, epochOf, repositoryRecords, unsettled } from './storage-epoch.js';
import type { KvRecord, KvStore } from '@srv/kernel';
import type { ExpiringCache } from '@srv/kernel/cache';
import type { StoredRecord } from '@srv/lib-records';
import type { Branch, Page, PageRequest, Repository } from './contract.js';
import type { StoredBranch } from './messages/index.js';
import type { ReadBatcher } from './read-batcher.js';

export class Branches {
  readonly #records: Records<StoredBranch>;
  readonly #repositories: Records<Repository>;
  readonly #batcher: ReadBatcher;
  readonly #cache: Pick<ExpiringCache<Repository>, 'forget'>;

  /** @param cache of repositories: forgets those that turn out to have moved. */
  constructor(kv: KvStore, batcher: ReadBatcher, cache: Pick<ExpiringCache<Repository>, 'forget'>) {
    this.#repositories = repositoryRecords(kv);
    this.#records = new Records(kv, { prefix: 'branches', what: 'branch', encode: encodeBranch, decode: decodeBranch });
    this.#batcher = batcher;
    this.#cache = cache;
  }

  /** A read that may be shared with callers who arrived at the same time. */
  async get(repository: Repository, id: string): Promise<StoredBranch> {
    const found = await this.find(repository, id);
    if (!found) throw branchNotFound(id);
    return found;
  }

  async find(repository: Repository, id: string): Promise<StoredBranch | undefined> {
    const partition = partitionOf(repository);
    return (await this.#batcher.read(`branch ${partition} ${id}`, () => this.#records.find(partition, id)))?.value;
  }

  /** A read of this caller's own, issued now: for checks after a write and for compare-and-set. */
  async read(repository: Repository, id: string): Promise<StoredRecord<StoredBranch>> {
    for (;;) {
      const found = await this.readAsStored(repository, id);
      if (!isBehind(repository, found.value)) return found;
      // Read after the branch: a move that begins later finds the branch, and one that began before is seen here.
      const { value: now } = await currentRepository(this.#repositories, repository);
      if (now.frozenBy !== undefined || epochOf(now) === epochOf(found.value)) return found;
      await this.#records.replace(partitionOf(repository), id, atEpoch(found.value, epochOf(now)), found.predicate);
    }
  }

  /** {@link read} for moves: a branch that is at the epoch of no repository stays so. */
  async readAsStored(repository: Repository, id: string): Promise<StoredRecord<StoredBranch>> {
    const found = await this.#records.find(partitionOf(repository), id);
    if (!found) throw branchNotFound(id);
    return found;
  }

  /** @throws SrvError `moving` when data of the repository, as it was read, may not be where the branch looks for it. */
  requireEpoch(repository: Repository, branch: StoredBranch): void {
    if (epochOf(branch) === epochOf(repository)) return;
    void this.#cache.forget(repository.id);
    throw isMoving(repository.id);
  }

  async create(repository: Repository, branch: Branch): Promise<void> {
    await this.#records.create(partitionOf(repository), branch.id, newRecord(branch));
  }

  /** The branch of a repository that is not there yet: nothing can have moved. */
  async createFirst(repository: Repository, branch: Branch): Promise<void> {
    await this.#records.create(partitionOf(repository), branch.id, atEpoch(newRecord(branch), 0));
  }

  /**
   * False when the record changed since it was read.
   * @param further as {@link Records.replace}. @throws SrvError `moving` as {@link requireEpoch}.
   */
  async replace(
    repository: Repository,
    branch: StoredBranch,
    record: StoredRecord<StoredBranch>,
    further?: readonly KvRecord[],
  ): Promise<boolean> {
    this.requireEpoch(repository, record.value);
    return this.replaceAtAnyEpoch(repository, branch, record, further);
  }

  /** {@link replace} for moves. */
  replaceAtAnyEpoch(
    repository: Repository,
    branch: StoredBranch,
    { predicate }: StoredRecord<StoredBranch>,
    further?: readonly KvRecord[],
  ): Promise<boolean> {
    return this.#records.replace(partitionOf(repository), branch.id, branch, predicate, further);
  }

  /** As {@link create}; an existing branch with this head is accepted as it is. */
  async restore(repository: Repository, branch: Branch): Promise<void> {
    const created = await this.#records.createIfAbsent(partitionOf(repository), branch.id, newRecord(branch));
    if (!created && (await this.readAsStored(repository, branch.id)).value.commitId !== branch.commitId)
      throw atAnotherCommit('branch', branch.id);
  }

  remove(repository: Repository, id: string): Promise<void> {
    return this.#records.remove(partitionOf(repository), id);
  }

  scan(repository: Repository): AsyncIterable<StoredBranch> {
    return this.#records.scan(partitionOf(repository));
  }

  list(repository: Repository, { showHidden = false, ...request }: PageRequest & { showHidden?: boolean }): Promise<Page<Branch>> {
    return this.#records.list(
      partitionOf(repository),
      request,
      branch => branch.id,
      branch => showHidden || !branch.hidden,
    );
  }
}

function newRecord(branch: Branch): StoredBranch {
  return { unknown: [], ...branch, instanceUid: xid(), storageEpoch: unsettled };
}

/** Whether the epoch of a branch has to be brought up to date before it says anything. */
export function isBehind(repository: Repository, branch: StoredBranch): boolean {
  return epochOf(branch) === unsettled || epochOf(branch) < epochOf(repository);
}

function branchNotFound(id: string): SrvError {
  return new SrvError('not_found', `branch '${id}' not found: branch not found`, { details: { branch: id } });
}
