/** Versioning as a service: puts the parts together; the rules live in the parts. */
import type { Metrics } from '@srv/kernel/metrics';
import { checkBranchId, checkTagId, newStagingToken } from '@srv/lib-records';
import { SrvError, isSrvError } from '@srv/kernel';
import type { Hooks, KvStore, Logger } from '@srv/kernel';
import { decodeValue } from '../tables/format/index.js';
import type { CommittedStore, Comparison } from '../tables/contract.js';
import type { Commit, DifferenceRequest, KeyDifference, Repository, ResolvedRef, Versioning } from './contract.js';
import type { StoredBranch } from './messages/index.js';
import { BranchViewCursor, committedValue, getFromView, committedPart } from './branch-view.js';
import type { ViewSources } from './branch-view.js';
import { BranchWriter } from './branch-writer.js';
import { Branches } from './branches.js';
import { Commits } from './commits.js';
import { Committing } from './committing.js';
import { Events } from './events.js';
import { ExpiringCache } from '@srv/kernel/cache';
import type { CacheOptions } from '@srv/kernel/cache';
import { HeadUpdate, dirtyBranch } from './head-update.js';
import { logPage } from './history.js';
import { BranchSnapshot, isForeign } from './branch-snapshot.js';
import { findMergeBase } from './merge-base.js';
import { Protection } from './protection.js';
import { ReadBatcher } from './read-batcher.js';
import { References } from './references.js';
import { Repositories } from './repositories.js';
import { Resolver } from './resolver.js';
import { Retries, retriedOperations } from './retries.js';
import { Pins } from './pins.js';
import { keyAfter, tokensOf } from './staging.js';
import { Tags } from './tags.js';
import { TokenCleaner } from './token-cleaner.js';
import { uncommittedDiff } from './uncommitted.js';

interface VersioningOptions {
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
}

/** Milliseconds between looks for clean-up work of other processes. */
const cleanUpPeriod = 60_000;

/** A running service and how to end it. */
export interface RunningVersioning {
  readonly service: Versioning;
  stop(): Promise<void>;
}

export function createVersioning(options: VersioningOptions): RunningVersioning {
  const { kv, committed, hooks, log, grace } = options;
  const batcher = new ReadBatcher(options.batchDelay);
  const retries = new Retries(options.metrics, retriedOperations);
  const pins = new Pins(hooks);
  const cleaner = new TokenCleaner({ kv, log, grace, period: cleanUpPeriod, rateLimit: options.rateLimit });
  const branches = new Branches(kv, batcher);
  const tags = new Tags(kv, retries);
  const commits = new Commits(kv, new ExpiringCache(options.commitCache), batcher, retries);
  const repositories = new Repositories({
    kv,
    cache: new ExpiringCache(options.repositoryCache),
    batcher,
    branches,
    commits,
    cleaner,
    retries,
    hooks,
  });
  const resolver = new Resolver(branches, tags, commits);
  const protection = new Protection(hooks);
  const events = new Events(hooks, log);
  const head = new HeadUpdate({ kv, committed, branches, commits, cleaner, retries });
  const committing = new Committing({ kv, committed, commits, resolver, protection, head, events, pins });
  const references = new References({ branches, tags, commits, resolver, events, cleaner, pins });
  const getCommit =
    (repository: Repository) =>
    (id: string): Promise<Commit> =>
      commits.get(repository, id);
  const valueAt = (repository: Repository, { commitId }: StoredBranch, key: Buffer) =>
    committedValue(repository, commitId, key, { committed, commit: getCommit(repository) });
  const retirement = { keptFor: grace, isForeign: isForeign(kv) };
  const writer = new BranchWriter({ kv, branches, protection, retries, retirement, committedValue: valueAt });
  const sourcesOf = (repository: Repository, ref: string): ViewSources => ({
    kv,
    committed,
    commit: getCommit(repository),
    resolve: () => resolver.resolve(repository, ref),
    retirement,
  });
  const metarangeOf = async (repository: Repository, { commitId }: Pick<ResolvedRef, 'commitId'>): Promise<string> =>
    commitId === '' ? '' : (await commits.get(repository, commitId)).metarangeId;

  async function* uncommitted(
    repository: Repository,
    branchId: string,
    { prefix, start }: DifferenceRequest = {},
  ): AsyncGenerator<KeyDifference> {
    const read = (): Promise<StoredBranch> => branches.get(repository, branchId);
    let from = later(start, prefix);
    for (let changed = true; changed; ) {
      const snapshot = await BranchSnapshot.read({ read, branchOf: branch => branch, retirement });
      const tokens = tokensOf(snapshot.value);
      changed = false;
      for await (const page of uncommittedDiff(
        repository,
        tokens,
        await metarangeOf(repository, snapshot.value),
        { kv, committed },
        from,
      )) {
        changed = !(await snapshot.isCurrent());
        if (changed) break;
        for (const difference of page) {
          if (prefix && !startsWith(difference.key, prefix)) return;
          yield difference;
          from = keyAfter(difference.key);
        }
      }
      changed ||= !(await snapshot.isCurrent());
    }
  }

  async function* committedDiff(
    repository: Repository,
    left: string,
    right: string,
    base: string | undefined,
    request: DifferenceRequest,
  ): AsyncGenerator<KeyDifference> {
    const { prefix, signal } = request;
    const start = later(request.start, prefix);
    const pages = committed.diff({
      namespace: repository.storageNamespace,
      left,
      right,
      ...(base === undefined ? {} : { base }),
      ...(start ? { start } : {}),
      ...(prefix ? { prefix } : {}),
      ...(signal ? { signal } : {}),
    });
    for await (const page of pages) for (const item of page) yield decoded(item);
  }

  /** Two-way difference where either side may show uncommitted rows. */
  async function* viewDiff(
    repository: Repository,
    left: string,
    right: string,
    { prefix, start }: DifferenceRequest,
  ): AsyncGenerator<KeyDifference> {
    const cursors: BranchViewCursor[] = [];
    const open = async (ref: string): Promise<BranchViewCursor> => {
      const cursor = await BranchViewCursor.open(repository, sourcesOf(repository, ref));
      cursors.push(cursor);
      await cursor.seek(later(start, prefix) ?? Buffer.alloc(0));
      return cursor;
    };
    try {
      const [a, b] = [await open(left), await open(right)];
      while (a.current || b.current) {
        const order = !a.current ? 1 : !b.current ? -1 : Buffer.compare(a.current.key, b.current.key);
        const key = (order <= 0 ? a.current : b.current)?.key ?? Buffer.alloc(0);
        if (prefix && !startsWith(key, prefix)) return;
        const [l, r] = [order <= 0 ? a.current?.value : undefined, order >= 0 ? b.current?.value : undefined];
        if (l && r && !l.identity.equals(r.identity)) yield { type: 'changed', key, left: l, right: r };
        else if (l && !r) yield { type: 'removed', key, left: l };
        else if (!l && r) yield { type: 'added', key, right: r };
        if (order <= 0) await a.next();
        if (order >= 0) await b.next();
      }
    } finally {
      for (const cursor of cursors) cursor.close();
    }
  }

  const service: Versioning = {
    createRepository: request => repositories.create(request),
    getRepository: id => repositories.get(id),
    repositories: start => repositories.scan(start),
    deleteRepository: (id, { force = false } = {}) => repositories.delete(id, force),
    getRepositoryMetadata: repository => repositories.getMetadata(repository),
    updateRepositoryMetadata: (repository, change) => repositories.updateMetadata(repository, change),

    resolve: (repository, ref) => resolver.resolve(repository, ref),
    resolveCommit: (repository, ref) => resolver.commit(repository, ref),
    getCommit: (repository, id) => commits.get(repository, id),
    commits: repository => commits.scan(repository),
    async createCommitRecord(repository, commit, { force = false } = {}) {
      if (repository.readOnly && !force) throw new SrvError('read_only', 'read-only repository');
      await pins.withPins(repository, { metaranges: [commit.metarangeId] }, () => commits.addRecord(repository, commit));
    },

    createBranch: (repository, branch, source, request = {}) => references.createBranch(repository, branch, source, request),
    async getBranch(repository, branch) {
      checkBranchId(branch);
      return branches.get(repository, branch);
    },
    listBranches: (repository, request = {}) => branches.list(repository, request),
    deleteBranch: (repository, branch, request = {}) => references.deleteBranch(repository, branch, request),
    createTag: (repository, tag, ref, request = {}) => references.createTag(repository, tag, ref, request),
    async getTag(repository, tag) {
      checkTagId(tag);
      return tags.get(repository, tag);
    },
    listTags: (repository, request = {}) => tags.list(repository, request),
    deleteTag: (repository, tag, request = {}) => references.deleteTag(repository, tag, request),

    get: (repository, ref, key) => getFromView(repository, key, sourcesOf(repository, ref)),
    committedPart: (repository, ref, from) => committedPart(from, sourcesOf(repository, ref)),
    view: (repository, ref) => BranchViewCursor.open(repository, sourcesOf(repository, ref)),
    async checkWrite(repository, branch, request = {}) {
      checkBranchId(branch);
      await branches.get(repository, branch);
      await writer.check(repository, branch, request);
    },
    set: (repository, branch, key, value, request = {}) => writer.set(repository, branch, key, value, request),
    update: (repository, branch, key, change, request = {}) => writer.update(repository, branch, key, change, request),
    delete: (repository, branch, keys, request = {}) => writer.delete(repository, branch, keys, request),
    deleteIf: (repository, branch, key, condition, request = {}) => writer.deleteIf(repository, branch, key, condition, request),
    async reset(repository, branchId, scope, request = {}) {
      await writer.check(repository, branchId, request);
      if (scope === 'all') return head.discardStaging(repository, branchId);
      if ('key' in scope) return writer.resetKeys(repository, branchId, () => onePage([scope.key]), request);
      const { prefix } = scope;
      return writer.resetKeys(repository, branchId, branch => keysBelow(repository, branch, prefix), request);
    },
    async hardReset(repository, branchId, ref, { force = false } = {}) {
      checkBranchId(branchId);
      if (await protection.isBlocked(repository, branchId, 'commit', 'staging_write'))
        throw new SrvError('protected', 'protected branch', { details: { branch: branchId } });
      if (repository.readOnly && !force) throw new SrvError('read_only', 'read-only repository');
      try {
        const { id: target } = await resolver.commit(repository, ref);
        await pins.withPins(repository, { commits: [target] }, () =>
          head.exclusively(repository, branchId, () => head.moveClean(repository, branchId, async () => target)),
        );
      } catch (error) {
        if (error instanceof SrvError && error.code === 'dirty_branch')
          throw new SrvError('dirty_branch', `${branchId}: ${dirtyBranch(branchId).message}`, { cause: error });
        throw error;
      }
    },

    commit: (repository, branch, request) => committing.commit(repository, branch, request),
    merge: (repository, source, destination, request) => committing.merge(repository, source, destination, request),
    revert: (repository, branch, request) => committing.revert(repository, branch, request),
    cherryPick: (repository, branch, request) => committing.cherryPick(repository, branch, request),
    import: (repository, branch, request) => committing.import(repository, branch, request),
    async mergeBase(repository, source, destination) {
      const [from, into] = await Promise.all([resolver.commit(repository, source), resolver.commit(repository, destination)]);
      const base = await findMergeBase(from, into, getCommit(repository));
      if (!base) throw new SrvError('invalid', `no merge base: ${source} and ${destination} share no commit`);
      return { sourceCommitId: from.id, destinationCommitId: into.id, baseCommitId: base.id };
    },
    async log(repository, ref, request = {}) {
      const start = await resolver.commit(repository, ref);
      return logPage(repository, start, request, { committed, get: getCommit(repository), resolve: r => resolver.commit(repository, r) });
    },

    uncommitted: (repository, branch, request) => uncommitted(repository, branch, request),
    async *diff(repository, left, right, request = {}) {
      const refs = await Promise.all([resolver.resolve(repository, left), resolver.resolve(repository, right)]);
      if (refs[0].staging) throw new SrvError('invalid', `reference '${left}': reference to staging area with $ is not a commit`);
      if (refs[1].staging) {
        yield* viewDiff(repository, refs[0].commitId, right, request);
        return;
      }
      const [l, r] = await Promise.all([metarangeOf(repository, refs[0]), metarangeOf(repository, refs[1])]);
      yield* committedDiff(repository, l, r, undefined, request);
    },
    async *compare(repository, left, right, request = {}) {
      const [into, from] = await Promise.all([resolver.commit(repository, left), resolver.commit(repository, right)]);
      const base = await findMergeBase(from, into, getCommit(repository));
      if (!base) throw new SrvError('invalid', `no merge base: ${left} and ${right} share no commit`);
      yield* committedDiff(repository, into.metarangeId, from.metarangeId, base.metarangeId, request);
    },

    async restoreCommit(repository, commit) {
      await pins.withPins(repository, { metaranges: [commit.metarangeId] }, () =>
        commits.addRecord(repository, commit).catch((error: unknown) => {
          if (!isSrvError(error, 'not_unique')) throw error;
        }),
      );
    },
    restoreBranch: (repository, branch) =>
      pins.withPins(repository, { commits: [branch.commitId] }, () =>
        branches.set(repository, { ...branch, stagingToken: newStagingToken(repository, branch.id), sealedTokens: [] }),
      ),
    restoreTag: (repository, tag) => pins.withPins(repository, { commits: [tag.commitId] }, () => tags.restore(repository, tag)),

    withPins: (repository, content, work) => pins.withPins(repository, content, work),
  };

  async function* keysBelow(repository: Repository, branch: StoredBranch, prefix: Buffer): AsyncGenerator<Buffer[]> {
    for await (const page of uncommittedDiff(
      repository,
      tokensOf(branch),
      await metarangeOf(repository, branch),
      { kv, committed },
      prefix.length > 0 ? prefix : undefined,
    )) {
      const inside = page.filter(({ key }) => startsWith(key, prefix)).map(({ key }) => key);
      if (inside.length > 0) yield inside;
      if (inside.length < page.length) return;
    }
  }

  cleaner.start();
  return {
    service,
    async stop() {
      await events.drain();
      await cleaner.stop();
    },
  };
}

async function* onePage(keys: readonly Buffer[]): AsyncGenerator<readonly Buffer[]> {
  yield keys;
}

function startsWith(key: Buffer, prefix: Buffer): boolean {
  return key.length >= prefix.length && key.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}

/** The greater of two starting keys. */
function later(a: Buffer | undefined, b: Buffer | undefined): Buffer | undefined {
  if (!a || !b) return a ?? b;
  return Buffer.compare(a, b) >= 0 ? a : b;
}

function decoded({ type, key, left, right }: Comparison): KeyDifference {
  return { type, key, ...(left ? { left: decodeValue(left) } : {}), ...(right ? { right: decodeValue(right) } : {}) };
}
