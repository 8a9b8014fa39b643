/** Repository records, and what is created and deleted with them. */

import { SrvError, absent } from '@srv/kernel';
import {
  carryUnknownFields,
  checkBranchId,
  checkRepositoryId,
  checkWritable,
  isMoving,
  newStagingToken,
  partitionOf,
  xid,
} from '@srv/lib-records';
import { removeBelow } from '@srv/lib-stores/kv';
import { decodeRepositoryMetadata, encodeRepositoryMetadata } from './messages/index.js';
import { currentRepository, epochOf, repositoryPartition as partition, repositoryRecords } from './storage-epoch.js';
import type { Hooks, KvStore } from '@srv/kernel';
import type { ExpiringCache } from '@srv/kernel/cache';
import type { Records } from '@srv/lib-records';
import type { Branches } from './branches.js';
import type { Commits } from './commits.js';
import type { Forceable, NewRepository, Repository, RepositoryName } from './contract.js';
import type { ReadBatcher } from './read-batcher.js';
import type { RefRetries } from './retried-operations.js';
import type { TokenCleaner } from './token-cleaner.js';

const metadataKey = Buffer.from('repo-metadata');

interface RepositoriesOptions {
  readonly kv: KvStore;
  readonly cache: ExpiringCache<Repository>;
  readonly batcher: ReadBatcher;
  readonly branches: Branches;
  readonly commits: Commits;
  readonly cleaner: TokenCleaner;
  readonly retries: RefRetries;
  readonly hooks: Pick<Hooks, 'repositoryDeleted'>;
}

export class Repositories {
  readonly #options: RepositoriesOptions;
  readonly #records: Records<Repository>;

  constructor(options: RepositoriesOptions) {
    this.#options = options;
    this.#records = repositoryRecords(options.kv);
  }

  async get(id: string): Promise<Repository> {
    checkRepositoryId(id);
    const { cache, batcher } = this.#options;
    const repository =
      cache.peek(id) ??
      (await cache.get(id, async () => (await batcher.read(`repository ${id}`, () => this.#records.get(partition, id))).value));
    if (repository.state === 'in_deletion') throw new SrvError('gone', 'repository in deletion', { details: { repository: id } });
    return repository;
  }

  /** @param name a repository that was read is returned as it is. @throws SrvError as {@link get}. */
  async find(name: RepositoryName): Promise<Repository> {
    return typeof name === 'string' ? this.get(name) : name;
  }

  /** In order of names, those being deleted included, from `start` on. */
  scan(start: string): AsyncIterable<Repository> {
    return this.#records.scan(partition, start);
  }

  /** Commit, branch, record, in this order: an interrupted creation leaves only unreachable rows. */
  async create({ bare, ...request }: NewRepository): Promise<Repository> {
    checkRepositoryId(request.id);
    checkBranchId(request.defaultBranch, 'defaultBranch');
    if (request.storageNamespace === '') throw new SrvError('invalid', 'argument storageNamespace: required value');
    const { commits, branches, cache } = this.#options;
    const repository: Repository = { ...request, creationDate: new Date(), state: 'active', instanceUid: xid() };
    if (!bare) {
      const commit = await commits.add(repository, {
        committer: '',
        message: 'Repository created',
        metarangeId: '',
        creationDate: repository.creationDate,
        metadata: {},
        parents: [],
        generation: 1,
      });
      const branch = {
        id: request.defaultBranch,
        commitId: commit.id,
        stagingToken: newStagingToken(repository, request.defaultBranch),
        sealedTokens: [],
        hidden: false,
      };
      await branches.createFirst(repository, branch);
    }
    await cache.forget(repository.id);
    if (!(await this.#records.createIfAbsent(partition, repository.id, repository)))
      throw new SrvError('not_unique', 'error creating repository: not unique', { details: { repository: repository.id } });
    await cache.forget(repository.id);
    return repository;
  }

  /**
   * Marks the record, removes everything the repository owned, then the record. Called again it continues. Of two that delete it at
   * once the slower one leaves a new repository of its name alone.
   */
  async delete(id: string, { force = false }: Forceable = {}): Promise<void> {
    checkRepositoryId(id);
    const { kv, cache, branches, cleaner } = this.#options;
    const { value: repository, predicate } = await this.#records.get(partition, id);
    checkWritable(repository, { force });
    if (repository.state !== 'in_deletion') {
      const marked = await this.#records.replace(partition, id, { ...repository, state: 'in_deletion' }, predicate);
      if (!marked) throw new SrvError('conflict', `repository ${id} was changed while it was deleted; repeat the operation`);
    }
    await cache.forget(id);
    const own = partitionOf(repository);
    for await (const branch of branches.scan(repository)) await cleaner.drop([branch.stagingToken, ...branch.sealedTokens]);
    if (!(await this.#isThere(repository))) return;
    await this.#options.hooks.repositoryDeleted.promise(repository);
    await removeBelow(kv, own, Buffer.alloc(0));
    if (await this.#isThere(repository)) await this.#records.remove(partition, id);
    await cache.forget(id);
  }

  async #isThere(repository: Repository): Promise<boolean> {
    const found = await this.#records.find(partition, repository.id);
    return found?.value.instanceUid === repository.instanceUid;
  }

  /** The record as it is now. @throws SrvError `not_found` when it was deleted meanwhile. */
  async current(repository: Repository): Promise<Repository> {
    return (await currentRepository(this.#records, repository)).value;
  }

  /**
   * For writes that no branch shows: what was stored in the namespace of `repository` until now is there, or moves with it.
   * @throws SrvError `moving` when a move may have passed it by; what is read next is the repository as it is then.
   */
  async requireUnmoved(repository: Repository): Promise<void> {
    const now = await this.current(repository);
    if (now.frozenBy === undefined && epochOf(now) === epochOf(repository)) return;
    await this.#options.cache.forget(repository.id);
    throw isMoving(repository.id);
  }

  /**
   * Changes where a repository is, and which move has it.
   * @param change asked again when the record has changed meanwhile; `undefined` leaves it.
   */
  async relocate(repository: Repository, change: (now: Repository) => Repository | undefined): Promise<Repository> {
    const { retries, cache } = this.#options;
    const changed = await retries.run('move_repository', 'move repository', async () => {
      const { value: now, predicate } = await currentRepository(this.#records, repository);
      const next = change(now);
      if (next === undefined) return now;
      return (await this.#records.replace(partition, now.id, next, predicate)) ? next : undefined;
    });
    await cache.forget(repository.id);
    return changed;
  }

  async getRepositoryMetadata(repository: Repository): Promise<Record<string, string>> {
    const found = await this.#options.kv.get(partitionOf(repository), metadataKey);
    return found ? decodeRepositoryMetadata(found.value) : {};
  }

  async updateRepositoryMetadata(
    repository: Repository,
    change: (metadata: Record<string, string>) => Record<string, string>,
  ): Promise<void> {
    const { kv, retries } = this.#options;
    await retries.run('update_repository_metadata', 'update repository metadata', async () => {
      const found = await kv.get(partitionOf(repository), metadataKey);
      const old = found ? decodeRepositoryMetadata(found.value) : {};
      const bytes = encodeRepositoryMetadata(carryUnknownFields(old, change(old)));
      return (await kv.setIf(partitionOf(repository), metadataKey, bytes, found ? found.predicate : absent)) ? true : undefined;
    });
  }
}
