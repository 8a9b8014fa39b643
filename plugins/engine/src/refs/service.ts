/** Opens branches and commits: puts their parts together. */
import { ExpiringCache } from '@srv/kernel/cache';
import { Retries } from '@srv/lib-records';
import { BranchJumps } from './branch-log/jumps.js';
import { BranchOperations } from './branch-operations.js';
import { isForeign } from './branch-snapshot.js';
import { baseValue } from './branch-view.js';
import { BranchWriter } from './branch-writer.js';
import { Branches } from './branches.js';
import { byName } from './by-name.js';
import { CommitRecords } from './commit-records.js';
import { Commits } from './commits.js';
import { Committing } from './committing.js';
import { Conflicts } from './conflicts.js';
import { Events } from './events.js';
import { Folding } from './folding.js';
import { HeadAdvance } from './head-advance.js';
import { HeadUpdate } from './head-update.js';
import { Merging } from './merging.js';
import { MovingHeads } from './moving-heads.js';
import { Pins } from './pins/pins.js';
import { Protection } from './protection.js';
import { ReadBatcher } from './read-batcher.js';
import { RecordDifferences } from './record-differences.js';
import { Repositories } from './repositories.js';
import { Resolver } from './resolver.js';
import { retriedOperations } from './retried-operations.js';
import { StorageFreeze } from './storage-freeze.js';
import { TagOperations } from './tag-operations.js';
import { Tags } from './tags.js';
import { TokenCleaner } from './token-cleaner.js';
import { Views } from './views.js';
import type { Hooks, KvStore, Logger } from '@srv/kernel';
import type { CacheOptions } from '@srv/kernel/cache';
import type { Metrics } from '@srv/kernel/metrics';
import type { CommittedStore } from '../tables/contract.js';
import type { ConflictResolver } from './conflicts.js';
import type { Repository } from './contract.js';

interface RefsOptions {
  readonly kv: KvStore;
  readonly committed: CommittedStore;
  readonly hooks: Hooks;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly repositoryCache: CacheOptions;
  readonly commitCache: CacheOptions;
  /** Milliseconds. */
  readonly batchDelay: number;
  /** Background requests per second; 0: unlimited. */
  readonly rateLimit: number;
  /** Milliseconds that rows of partitions no branch names any more are kept for readers. */
  readonly grace: number;
  /** Days that deleted branches can be restored. */
  readonly undeleteDays: number;
  /** Uncommitted rows that one read may step over before they are folded into a metarange; 0: reads fold none. */
  readonly foldAfter: number;
  /** Merges values by content. */
  readonly resolveConflict?: ConflictResolver;
}

/** Milliseconds between looks for clean-up work of other processes. */
const cleanUpPeriod = 60_000;

/** What is open, and how to end it. */
export interface RunningRefs {
  readonly refs: Refs;
  stop(): Promise<void>;
}

/** Repositories, branches, tags, commits, and records by key. */
export type Refs = ReturnType<typeof methodsOf>;

export function openRefs(options: RefsOptions): RunningRefs {
  const parts = partsOf(options);
  const { cleaner, events, folding } = parts;
  cleaner.start();
  return {
    refs: methodsOf(parts),
    async stop() {
      await events.drain();
      await folding.stop();
      await cleaner.stop();
    },
  };
}

function partsOf(options: RefsOptions) {
  const { kv, committed, hooks, log, metrics, repositoryCache, commitCache, batchDelay, rateLimit, grace, undeleteDays } = options;
  const batcher = new ReadBatcher(batchDelay);
  const retries = new Retries(metrics, retriedOperations);
  const pins = new Pins({ kv, log });
  const cleaner = new TokenCleaner({ kv, log, grace, period: cleanUpPeriod, rateLimit });
  // Once a move is over, the next request sees it.
  const cache = new ExpiringCache<Repository>(repositoryCache, ({ frozenBy }) => frozenBy === undefined);
  const branches = new Branches(kv, batcher, cache);
  const tags = new Tags(kv, retries);
  const commits = new Commits(kv, new ExpiringCache(commitCache), batcher, retries);
  const repositories = new Repositories({ kv, cache, batcher, branches, commits, cleaner, retries, hooks });
  const resolver = new Resolver(branches, tags, commits);
  const protection = new Protection(hooks);
  const events = new Events(hooks, log);
  const moving = kv.isShared ? undefined : new MovingHeads();
  const head = new HeadUpdate({ kv, committed, branches, commits, cleaner, retries, moving });
  const retirement = { keptFor: grace, isForeign: isForeign(kv) };
  const writer = new BranchWriter({
    kv,
    branches,
    protection,
    retries,
    retirement,
    moving,
    committedValue: (repository, { commitId }, key) =>
      baseValue(repository, { commitId }, key, { committed, commit: id => commits.get(repository, id) }),
    baseValue: (repository, branch, key) =>
      baseValue(repository, { commitId: branch.commitId, branch }, key, { committed, commit: id => commits.get(repository, id) }),
  });
  const folding = new Folding({ kv, committed, branches, commits, head, log, foldAfter: options.foldAfter });
  const advance = new HeadAdvance({ commits, events });
  const jumps = new BranchJumps(kv, undeleteDays);
  const shared = {
    jumps,
    repositories,
    kv,
    committed,
    advance,
    branches,
    tags,
    commits,
    resolver,
    protection,
    events,
    head,
    conflicts: new Conflicts(committed, options.resolveConflict),
    pins,
    cleaner,
    retirement,
    writer,
  };
  const views = new Views({ ...shared, folding });
  return {
    repositories,
    pins,
    cleaner,
    events,
    commits,
    resolver,
    writer,
    views,
    folding,
    jumps,
    branchOperations: new BranchOperations(shared),
    tagOperations: new TagOperations(shared),
    commitRecords: new CommitRecords(shared),
    committing: new Committing(shared),
    merging: new Merging(shared),
    differences: new RecordDifferences({ ...shared, views }),
    storageFreeze: new StorageFreeze({ repositories, branches, retries }),
  };
}

function methodsOf(parts: ReturnType<typeof partsOf>) {
  const { repositories, pins, commits, differences } = parts;
  const find = repositories.find.bind(repositories);
  return {
    getRepository: find,
    addRepository: repositories.create.bind(repositories),
    repositories: repositories.scan.bind(repositories),
    deleteRepository: repositories.delete.bind(repositories),
    ...byName(find, repositories, 'getRepositoryMetadata', 'updateRepositoryMetadata', 'requireUnmoved'),
    currentRepository: repositories.current.bind(repositories),
    storageFreeze: parts.storageFreeze,
    ...byName(find, parts.resolver, 'resolve'),
    ...byName(find, parts.branchOperations, 'createBranch', 'getBranch', 'listBranches', 'deleteBranch', 'resetBranch', 'hardResetBranch'),
    ...byName(find, parts.branchOperations, 'deletedBranches', 'undeleteBranch', 'branchLog'),
    ...byName(find, parts.jumps, 'pruneBranchLog'),
    ...byName(find, parts.folding, 'compactBranch', 'branchCompaction'),
    ...byName(find, parts.tagOperations, 'createTag', 'getTag', 'listTags', 'deleteTag'),
    ...byName(find, parts.commitRecords, 'getCommit', 'createCommitRecord', 'log', 'lastCommits', 'findMergeBase'),
    ...byName(find, parts.commitRecords, 'restoreCommit', 'restoreBranch', 'restoreTag'),
    ...byName(find, parts.committing, 'commit', 'import'),
    ...byName(find, parts.merging, 'merge', 'draftMerge', 'revert', 'cherryPick'),
    ...byName(find, parts.views, 'get', 'view', 'committedPart'),
    ...byName(find, parts.writer, 'checkBranchWrite', 'set', 'update', 'delete', 'deleteIf', 'deleteEachIf'),
    commits: commits.scan.bind(commits),
    uncommittedRecords: differences.uncommittedRecords.bind(differences),
    diffRecords: differences.diffRecords.bind(differences),
    compareRecords: differences.compareRecords.bind(differences),
    withPins: pins.withPins.bind(pins),
  };
}
