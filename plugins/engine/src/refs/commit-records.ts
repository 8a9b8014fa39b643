/** Commits as records: reading them, adding and restoring given ones, the log. */

import { SrvError, isSrvError } from '@srv/kernel';
import { checkWritable, newStagingToken } from '@srv/lib-records';
import { requireMetarange } from './given-metarange.js';
import { logPage } from './history.js';
import { lastCommits } from './last-commits.js';
import { findMergeBase } from './merge-base.js';
import type { CommittedStore } from '../tables/contract.js';
import type { Branches } from './branches.js';
import type { Commits } from './commits.js';
import type {
  Branch,
  Commit,
  Forceable,
  LastCommits,
  LastCommitsRequest,
  LogRequest,
  MergeBase,
  Page,
  Repository,
  Tag,
} from './contract.js';
import type { Pins } from './pins/pins.js';
import type { Repositories } from './repositories.js';
import type { Resolver } from './resolver.js';
import type { Tags } from './tags.js';

interface CommitRecordsOptions {
  readonly committed: CommittedStore;
  readonly branches: Branches;
  readonly tags: Tags;
  readonly commits: Commits;
  readonly resolver: Resolver;
  readonly pins: Pins;
  readonly repositories: Pick<Repositories, 'requireUnmoved'>;
}

export class CommitRecords {
  readonly #options: CommitRecordsOptions;

  constructor(options: CommitRecordsOptions) {
    this.#options = options;
  }

  async getCommit(repository: Repository, ref: string): Promise<Commit> {
    return this.#options.resolver.commit(repository, ref);
  }

  async createCommitRecord(repository: Repository, commit: Commit, { force = false }: Forceable = {}): Promise<void> {
    const { committed, commits, pins, repositories } = this.#options;
    checkWritable(repository, { force });
    await requireMetarange(committed, repository, 'metarange_id', commit.metarangeId);
    await pins.withPins(repository, { metaranges: [commit.metarangeId] }, () => commits.addRecord(repository, commit));
    await repositories.requireUnmoved(repository);
  }

  async log(repository: Repository, ref: string, request: LogRequest = {}): Promise<Page<Commit>> {
    const { committed, commits, resolver } = this.#options;
    const start = await resolver.commit(repository, ref);
    return logPage(repository, start, request, { committed, get: commits.walk(repository), resolve: r => resolver.commit(repository, r) });
  }

  async lastCommits(repository: Repository, ref: string, request: LastCommitsRequest): Promise<LastCommits> {
    const { committed, commits, resolver } = this.#options;
    const start = await resolver.commit(repository, ref);
    return lastCommits(repository, start, request, { committed, get: commits.walk(repository) });
  }

  async findMergeBase(repository: Repository, source: string, destination: string): Promise<MergeBase> {
    const { commits, resolver } = this.#options;
    const [from, into] = await Promise.all([resolver.commit(repository, source), resolver.commit(repository, destination)]);
    const base = await findMergeBase(from, into, commits.walk(repository));
    if (!base) throw new SrvError('invalid', `no merge base: ${source} and ${destination} share no commit`);
    return { sourceCommitId: from.id, destinationCommitId: into.id, baseCommitId: base.id };
  }

  /** Restores a dumped commit; an identical existing one is accepted. @throws SrvError `invalid` when its id is not its content's. */
  async restoreCommit(repository: Repository, commit: Commit): Promise<void> {
    const { commits, pins } = this.#options;
    await pins.withPins(repository, { metaranges: [commit.metarangeId] }, () =>
      commits.addRecord(repository, commit).catch((error: unknown) => {
        if (!isSrvError(error, 'not_unique')) throw error;
      }),
    );
  }

  /** Restores a dumped branch, with empty staging. @throws SrvError `not_unique` when it has another head. */
  async restoreBranch(repository: Repository, branch: Pick<Branch, 'id' | 'commitId' | 'hidden'>): Promise<void> {
    const { branches, pins } = this.#options;
    await pins.withPins(repository, { commits: [branch.commitId] }, () =>
      branches.restore(repository, { ...branch, stagingToken: newStagingToken(repository, branch.id), sealedTokens: [] }),
    );
  }

  /** @throws SrvError `not_unique` when it points elsewhere. */
  async restoreTag(repository: Repository, tag: Tag): Promise<void> {
    const { pins, tags } = this.#options;
    await pins.withPins(repository, { commits: [tag.commitId] }, () => tags.restore(repository, tag));
  }
}
