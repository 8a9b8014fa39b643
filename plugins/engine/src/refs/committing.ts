/** Operations that add a commit to a branch: commit, merge, revert, cherry-pick (refs rules, sections 6 and 9). */
import { checkBranchId } from '@srv/lib-records';
import { SrvError, isSrvError } from '@srv/kernel';
import type { EventType, KvStore } from '@srv/kernel';
import type { CommittedStore } from '../tables/contract.js';
import type {
  ChangeOptions,
  CherryPickRequest,
  Commit,
  CommitRequest,
  ImportCommitRequest,
  MergeRequest,
  Repository,
  RevertRequest,
} from './contract.js';
import type { StoredBranch } from './messages/index.js';
import type { Commits, NewCommit } from './commits.js';
import type { EventFacts, Events } from './events.js';
import { dirtyBranch } from './head-update.js';
import type { HeadUpdate } from './head-update.js';
import { findMergeBase } from './merge-base.js';
import type { Protection } from './protection.js';
import { checkWritable } from './reference-rules.js';
import type { Resolver } from './resolver.js';
import type { Pins } from './pins.js';
import { scanRows } from './staging.js';

/** Commit metadata with the strategy of a merge. Existing clients read it. */
const strategyKey = '.lakefs.merge.strategy';
const strategies = ['none', 'dest-wins', 'source-wins'];
const pickedFrom = { origin: 'cherry-pick-origin', committer: 'cherry-pick-committer' } as const;

interface CommittingOptions {
  readonly kv: KvStore;
  readonly committed: CommittedStore;
  readonly commits: Commits;
  readonly resolver: Resolver;
  readonly protection: Protection;
  readonly head: HeadUpdate;
  readonly events: Events;
  readonly pins: Pins;
}

/** What the refusal of a hook begins with, as clients compare it. */
const refusals: Readonly<Record<'commit' | 'merge' | 'revert' | 'cherry-pick', (branch: string) => string>> = {
  commit: () => '',
  merge: branch => `update branch ${branch}: `,
  revert: () => 'update branch: ',
  'cherry-pick': () => 'update branch: ',
};

/** Metaranges of a three-way merge. */
interface Sides {
  readonly destination: string;
  readonly source: string;
  readonly base: string;
}

/** What a merge takes from: the ref as requested, and its commit once it is known. */
interface MergeSource {
  readonly ref: string;
  readonly commitId: () => string;
}

export class Committing {
  readonly #options: CommittingOptions;

  constructor(options: CommittingOptions) {
    this.#options = options;
  }

  async commit(repository: Repository, branchId: string, request: CommitRequest): Promise<Commit> {
    const { protection, head, events, pins } = this.#options;
    checkBranchId(branchId);
    if (await protection.isBlocked(repository, branchId, 'commit'))
      throw new SrvError('protected', 'cannot commit to protected branch', { details: { branch: branchId } });
    checkWritable(repository, request);
    const draft = { committer: request.committer, message: request.message, metadata: { ...request.metadata } };
    const facts = { sourceRef: branchId, branch: branchId, user: userOf(request), commit: draft };
    await events.before(repository, 'prepare-commit', facts, { caller: request });
    return head.exclusively(repository, branchId, async () => {
      await head.seal(repository, branchId, async branch => {
        if (request.sourceMetarange === undefined || !(await head.isDirty(repository, branch))) return;
        throw new SrvError('dirty_branch', 'cannot use source MetaRange on a branch with uncommitted changes', {
          details: { branch: branchId },
        });
      });
      const content = request.sourceMetarange === undefined ? {} : { metaranges: [request.sourceMetarange] };
      const advance = (): Promise<Commit> =>
        this.#advance(
          repository,
          branchId,
          'commit',
          request,
          branch => this.#committed(repository, branch, request),
          head.move.bind(head),
        );
      try {
        return await (request.sourceMetarange === undefined ? advance() : pins.withPins(repository, content, advance));
      } catch (error) {
        await head.compactSealed(repository, branchId).catch(() => {});
        throw error;
      }
    });
  }

  /** Imports run the events of a commit. */
  async import(repository: Repository, branchId: string, request: ImportCommitRequest): Promise<Commit> {
    const { head, committed } = this.#options;
    checkBranchId(branchId);
    checkWritable(repository, request);
    const { metarangeId: added, prefixes, keys, committer, message, metadata, date, signal } = request;
    const draft = async (branch: StoredBranch): Promise<NewCommit> => {
      const into = await this.#head(repository, branch);
      const replaced = {
        namespace: repository.storageNamespace,
        base: into.metarangeId,
        added,
        prefixes,
        keys,
        ...(signal ? { signal } : {}),
      };
      return {
        committer,
        message,
        metadata: { ...metadata, [strategyKey]: 'source-wins' },
        metarangeId: await committed.replace(replaced),
        creationDate: date ?? new Date(),
        parents: [into.id],
        generation: into.generation + 1,
      };
    };
    return head.exclusively(repository, branchId, () =>
      this.#advance(repository, branchId, 'commit', request, draft, head.moveClean.bind(head)),
    );
  }

  async merge(repository: Repository, source: string, destination: string, request: MergeRequest): Promise<Commit> {
    const { head, resolver, pins } = this.#options;
    checkBranchId(destination, 'destination');
    checkWritable(repository, request);
    const { strategy = 'none', squash = false, force = false, allowEmpty = false } = request;
    if (!strategies.includes(strategy))
      throw new SrvError('invalid', `invalid merge strategy: ${JSON.stringify(strategy)}: use dest-wins or source-wins, or leave it out`);
    const merged = await resolver.commit(repository, source);
    let sourceCommit = '';
    return pins.withPins(repository, { commits: [merged.id] }, () =>
      head.exclusively(repository, destination, () =>
        this.#advance(
          repository,
          destination,
          'merge',
          request,
          async branch => {
            const [from, into] = [merged, await this.#head(repository, branch)];
            sourceCommit = from.id;
            const base = await findMergeBase(from, into, id => this.#options.commits.get(repository, id));
            if (!base) throw new SrvError('invalid', `no merge base: ${source} and ${destination} share no commit`);
            if (from.metarangeId === base.metarangeId && !allowEmpty && !force) throw noChanges(`update branch ${destination}`);
            const sides = { destination: into.metarangeId, source: from.metarangeId, base: base.metarangeId };
            const metarangeId = await this.#merged(repository, sides, strategy, request.signal);
            return {
              committer: request.committer,
              message: request.message || `Merge '${source}' into '${destination}'`,
              metadata: { ...request.metadata, [strategyKey]: strategy === 'none' ? 'default' : strategy },
              metarangeId,
              creationDate: new Date(),
              parents: squash ? [into.id] : [into.id, from.id],
              generation: Math.max(into.generation, from.generation) + 1,
            };
          },
          head.moveClean.bind(head),
          { ref: source, commitId: () => sourceCommit },
        ),
      ),
    );
  }

  async revert(repository: Repository, branchId: string, request: RevertRequest): Promise<Commit> {
    checkBranchId(branchId);
    checkWritable(repository, request);
    const reverted = await this.#options.resolver.commit(repository, request.ref);
    const number = checkParentNumber(request.parentNumber ?? 0);
    if (number === 0 && reverted.parents.length > 1)
      throw new SrvError('conflict', 'must specify 1-based parent number for reverting merge commit');
    const parent = await this.#parent(repository, reverted, number);
    return this.#replay(
      repository,
      branchId,
      'revert',
      request,
      { source: parent?.metarangeId ?? reverted.metarangeId, base: reverted.metarangeId },
      {
        message: request.overrides?.message || `Revert ${request.ref}`,
        metadata: { ...request.overrides?.metadata },
      },
    );
  }

  async cherryPick(repository: Repository, branchId: string, request: CherryPickRequest): Promise<Commit> {
    checkBranchId(branchId);
    checkWritable(repository, request);
    const picked = await this.#options.resolver.commit(repository, request.ref).catch((error: unknown) => {
      if (!isSrvError(error, 'not_found')) throw error;
      throw new SrvError('not_found', `get commit from ref ${request.ref}: not found`, { cause: error, details: error.details });
    });
    const number = request.parentNumber ?? 0;
    if (number === 0 && picked.parents.length > 1)
      throw new SrvError('invalid', 'must specify 1-based parent number for cherry-picking merge commit');
    if (request.parentNumber !== undefined && number < 1)
      throw new SrvError('invalid', `parent number ${number}: given commit does not have the given parent number; it starts at 1`);
    const parent = await this.#parent(repository, picked, number);
    if (!parent) throw new SrvError('invalid', `commit ${picked.id} has no parent: given commit does not have the given parent number`);
    return this.#replay(
      repository,
      branchId,
      'cherry-pick',
      request,
      { source: picked.metarangeId, base: parent.metarangeId },
      {
        message: request.overrides?.message || picked.message,
        metadata: {
          ...(request.overrides?.metadata ?? picked.metadata),
          [pickedFrom.origin]: picked.id,
          [pickedFrom.committer]: picked.committer,
        },
      },
    );
  }

  /** The change from `base` to `source` on top of the branch. */
  async #replay(
    repository: Repository,
    branchId: string,
    operation: 'revert' | 'cherry-pick',
    request: RevertRequest | CherryPickRequest,
    change: Pick<Sides, 'source' | 'base'>,
    words: Pick<NewCommit, 'message' | 'metadata'>,
  ): Promise<Commit> {
    const { head, pins } = this.#options;
    const { allowEmpty = false, committer } = request;
    return pins.withPins(repository, { metaranges: [change.source, change.base] }, () =>
      head.exclusively(repository, branchId, () =>
        this.#advance(
          repository,
          branchId,
          operation,
          request,
          async branch => {
            const into = await this.#head(repository, branch);
            const sides = { ...change, destination: into.metarangeId };
            const metarangeId = await this.#merged(repository, sides, 'none').catch((error: unknown) => {
              if (!isSrvError(error, 'conflict')) throw error;
              // As clients compare it.
              throw new SrvError('conflict', 'update branch: conflict found', { cause: error, details: error.details });
            });
            if (metarangeId === into.metarangeId && !allowEmpty) throw noChanges('update branch');
            return { committer, ...words, metarangeId, creationDate: new Date(), parents: [into.id], generation: into.generation + 1 };
          },
          head.moveClean.bind(head),
        ),
      ),
    );
  }

  /**
   * Adds the commit `draft` returns and moves the head to it, with the events around. Merges ask their hook once the
   * commit record exists, the others before.
   */
  async #advance(
    repository: Repository,
    branchId: string,
    operation: 'commit' | 'merge' | 'revert' | 'cherry-pick',
    request: ChangeOptions & { readonly committer: string },
    draft: (branch: StoredBranch) => Promise<NewCommit>,
    move: HeadUpdate['move'],
    merged?: MergeSource,
  ): Promise<Commit> {
    const { commits, events } = this.#options;
    const [before, after]: [EventType, EventType] = [`pre-${operation}`, `post-${operation}`];
    const facts = { branch: branchId, user: userOf(request), ...(merged ? { mergeSource: merged.ref } : {}) };
    const options = { caller: request, prefix: refusals[operation](branchId) };
    const ask = (more: EventFacts): Promise<string> => events.before(repository, before, more, options);
    let made: { commit: Commit; preRunId: string } | undefined;
    await move(repository, branchId, async branch => {
      const fresh = await draft(branch);
      const early = merged ? undefined : await ask({ sourceRef: branchId, commit: fresh, ...facts });
      const commit = await commits.add(repository, fresh);
      const preRunId = early ?? (await ask({ sourceRef: merged?.commitId() ?? commit.id, commit, commitId: commit.id, ...facts }));
      made = { commit, preRunId };
      return commit.id;
    });
    if (!made) throw new SrvError('internal', `${operation} ended without a commit`);
    const { commit, preRunId } = made;
    events.after(repository, after, { sourceRef: commit.id, commit, commitId: commit.id, preRunId, ...facts });
    return commit;
  }

  /** The commit of everything sealed. */
  async #committed(repository: Repository, branch: StoredBranch, request: CommitRequest): Promise<NewCommit> {
    const { allowEmpty = false, sourceMetarange, date = new Date(), signal } = request;
    const parent = branch.commitId === '' ? undefined : await this.#options.commits.get(repository, branch.commitId);
    const base = parent?.metarangeId ?? '';
    let metarangeId = base;
    if (sourceMetarange !== undefined) {
      if (branch.sealedTokens.length > 0) throw dirtyBranch(branch.id);
      metarangeId = sourceMetarange;
    } else {
      const changed = branch.sealedTokens.length > 0 && (await this.#applied(repository, branch, base, signal));
      if (!changed && !allowEmpty) {
        await this.#options.head.forgetSealed(repository, branch);
        throw noChanges('commit');
      }
      if (changed) metarangeId = changed;
    }
    return {
      committer: request.committer,
      message: request.message,
      metadata: { ...request.metadata },
      metarangeId,
      creationDate: date,
      parents: parent ? [parent.id] : [],
      generation: (parent?.generation ?? 0) + 1,
    };
  }

  /** The base with the sealed rows applied; `undefined` when they change nothing. */
  async #applied(repository: Repository, branch: StoredBranch, base: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const { kv, committed } = this.#options;
    const { metarangeId, summary } = await committed.applyStaged({
      namespace: repository.storageNamespace,
      base,
      changes: scanRows(kv, branch.sealedTokens),
      ...(signal ? { signal } : {}),
    });
    return summary.added + summary.changed + summary.removed > 0 ? metarangeId : undefined;
  }

  async #merged(
    repository: Repository,
    { destination, source, base }: Sides,
    strategy: 'none' | 'dest-wins' | 'source-wins',
    signal?: AbortSignal,
  ): Promise<string> {
    if (destination === base || destination === source) return source;
    if (source === base) return destination;
    return this.#options.committed.merge({
      namespace: repository.storageNamespace,
      destination,
      source,
      base,
      strategy,
      ...(signal ? { signal } : {}),
    });
  }

  #head(repository: Repository, branch: StoredBranch): Promise<Commit> {
    return this.#options.commits.get(repository, branch.commitId);
  }

  /** Parent by number; 0 means the only one. `undefined` for a first commit. */
  async #parent(repository: Repository, commit: Commit, number: number): Promise<Commit | undefined> {
    if (number > commit.parents.length)
      throw new SrvError(
        'invalid',
        `parent number ${number}: given commit does not have the given parent number; it has ${commit.parents.length}`,
      );
    const id = commit.parents[Math.max(number, 1) - 1];
    return id === undefined ? undefined : this.#options.commits.get(repository, id);
  }
}

function userOf({ user, committer }: ChangeOptions & { readonly committer: string }): string {
  return user ?? committer;
}

function checkParentNumber(number: number): number {
  if (number < 0)
    throw new SrvError('invalid', `parent number ${number}: given commit does not have the given parent number; it starts at 1`);
  return number;
}

function noChanges(operation: string): SrvError {
  return new SrvError('no_changes', `${operation}: no changes`);
}
