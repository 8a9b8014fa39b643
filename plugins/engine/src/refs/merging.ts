/** Operations that put a change on top of a branch: merge, revert, cherry-pick (versioning rules, section 9). */

import { SrvError, isSrvError } from '@srv/kernel';
import { checkBranchId, checkWritable } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import { noChanges } from './head-advance.js';
import { findMergeBase } from './merge-base.js';
import { strategyKey } from './merge-strategy.js';
import type { CommittedStore } from '../tables/contract.js';
import type { Branches } from './branches.js';
import type { Commits, NewCommit } from './commits.js';
import type { Conflicts, Sides } from './conflicts.js';
import type { CherryPickRequest, Commit, MergeRequest, Repository, RevertRequest } from './contract.js';
import type { HeadAdvance } from './head-advance.js';
import type { HeadUpdate } from './head-update.js';
import type { StoredBranch } from './messages/index.js';
import type { Pins } from './pins/pins.js';
import type { Protection } from './protection.js';
import type { Repositories } from './repositories.js';
import type { Resolver } from './resolver.js';

const strategies = ['none', 'dest-wins', 'source-wins'];
const pickedFrom = { origin: 'cherry-pick-origin', committer: 'cherry-pick-committer' } as const;

interface MergingOptions {
  readonly committed: CommittedStore;
  readonly branches: Branches;
  readonly commits: Commits;
  readonly conflicts: Conflicts;
  readonly resolver: Resolver;
  readonly head: HeadUpdate;
  readonly advance: HeadAdvance;
  readonly pins: Pins;
  readonly repositories: Pick<Repositories, 'requireUnmoved'>;
  readonly protection: Protection;
}

interface MergeDraft {
  readonly repository: Repository;
  /** As requested. */
  readonly source: string;
  readonly merged: Commit;
  /** Id. */
  readonly destination: string;
  /** Its head. */
  readonly into: string;
  readonly request: MergeRequest;
}

/** A change to put on top of a branch. */
interface Replay extends Pick<Sides, 'source' | 'base'>, Pick<NewCommit, 'message' | 'metadata'> {
  readonly repository: Repository;
  /** Id. */
  readonly branch: string;
  readonly operation: 'revert' | 'cherry-pick';
  readonly request: RevertRequest | CherryPickRequest;
}

export class Merging {
  readonly #options: MergingOptions;

  constructor(options: MergingOptions) {
    this.#options = options;
  }

  async merge(repository: Repository, source: string, destination: string, request: MergeRequest): Promise<Commit> {
    const { advance, head, resolver, pins } = this.#options;
    checkBranchId(destination, 'destination');
    checkStrategy(request);
    checkWritable(repository, request);
    const merged = await resolver.commit(repository, source);
    const allowed = this.#guarded(repository, destination, 'merge', merged.id);
    await allowed();
    return pins.withPins(repository, { commits: [merged.id] }, () =>
      head.exclusively(repository, destination, () =>
        advance.run({
          repository,
          branch: destination,
          operation: 'merge',
          request,
          draft: branch => this.#mergeCommit({ repository, source, merged, destination, into: branch.commitId, request }),
          move: confirmed(head, allowed),
          merged: { ref: source, commitId: merged.id },
        }),
      ),
    );
  }

  async draftMerge(repository: Repository, source: string, destination: string, request: MergeRequest): Promise<Commit> {
    const { branches, commits, resolver, pins, repositories } = this.#options;
    checkBranchId(destination, 'destination');
    checkStrategy(request);
    checkWritable(repository, request);
    const merged = await resolver.commit(repository, source);
    const { commitId: into } = await branches.get(repository, destination);
    const draft = await pins.withPins(repository, { commits: [merged.id, into] }, async () =>
      commits.add(repository, await this.#mergeCommit({ repository, source, merged, destination, into, request })),
    );
    await repositories.requireUnmoved(repository);
    return draft;
  }

  async #mergeCommit({ repository, source, merged: from, destination, into: head, request }: MergeDraft): Promise<NewCommit> {
    const { commits } = this.#options;
    const { strategy = 'none', squash = false, force = false, allowEmpty = false } = request;
    const into = await commits.get(repository, head);
    const base = await findMergeBase(from, into, commits.walk(repository));
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
  }

  async revert(repository: Repository, branchId: string, request: RevertRequest): Promise<Commit> {
    checkBranchId(branchId);
    checkWritable(repository, request);
    const reverted = await this.#options.resolver.commit(repository, request.ref);
    const number = checkParentNumber(request.parentNumber ?? 0);
    if (number === 0 && reverted.parents.length > 1)
      throw new SrvError('conflict', 'must specify 1-based parent number for reverting merge commit');
    const parent = await this.#parent(repository, reverted, number);
    return this.#replay({
      repository,
      branch: branchId,
      operation: 'revert',
      request,
      source: parent?.metarangeId ?? reverted.metarangeId,
      base: reverted.metarangeId,
      message: request.overrides?.message || `Revert ${request.ref}`,
      metadata: { ...request.overrides?.metadata },
    });
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
    return this.#replay({
      repository,
      branch: branchId,
      operation: 'cherry-pick',
      request,
      source: picked.metarangeId,
      base: parent.metarangeId,
      message: request.overrides?.message || picked.message,
      metadata: {
        ...(request.overrides?.metadata ?? picked.metadata),
        [pickedFrom.origin]: picked.id,
        [pickedFrom.committer]: picked.committer,
      },
    });
  }

  /** The change from `base` to `source` on top of the branch. */
  async #replay({ repository, branch: branchId, operation, request, source, base, ...words }: Replay): Promise<Commit> {
    const { advance, commits, head, pins } = this.#options;
    const { allowEmpty = false, committer } = request;
    const allowed = this.#guarded(repository, branchId, 'replay');
    await allowed();
    const draft = async (branch: StoredBranch): Promise<NewCommit> => {
      const into = await commits.get(repository, branch.commitId);
      const sides = { source, base, destination: into.metarangeId };
      const metarangeId = await this.#merged(repository, sides, 'none', request.signal).catch((error: unknown) => {
        if (!isSrvError(error, 'conflict')) throw error;
        // As clients compare it.
        throw new SrvError('conflict', `update branch: ${error.message}`, { cause: error, details: error.details });
      });
      if (metarangeId === into.metarangeId && !allowEmpty) throw noChanges('update branch');
      return { committer, ...words, metarangeId, creationDate: new Date(), parents: [into.id], generation: into.generation + 1 };
    };
    const move = confirmed(head, allowed);
    return pins.withPins(repository, { metaranges: [source, base] }, () =>
      head.exclusively(repository, branchId, () => advance.run({ repository, branch: branchId, operation, request, draft, move })),
    );
  }

  /** Asks the guards of the branch. */
  #guarded(repository: Repository, branch: string, action: 'merge' | 'replay', source?: string): () => Promise<void> {
    const change = { repository, branch, actions: [action], source };
    return () => this.#options.protection.require(change, `cannot ${action === 'merge' ? 'merge into' : 'change'} protected branch`);
  }

  async #merged(
    repository: Repository,
    sides: Sides,
    strategy: 'none' | 'dest-wins' | 'source-wins',
    signal?: AbortSignal,
  ): Promise<string> {
    const { destination, source, base } = sides;
    if (destination === base || destination === source) return source;
    if (source === base) return destination;
    const { committed, conflicts } = this.#options;
    const request = { namespace: namespaceOf(repository), strategy, signal };
    try {
      return await committed.merge({ ...request, ...sides });
    } catch (error) {
      if (strategy !== 'none' || !isSrvError(error, 'conflict')) throw error;
      return committed.merge({ ...request, ...(await conflicts.resolve(repository, sides, error, signal)) });
    }
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

/** The guards are asked again after the hooks, which may last long, and just before the head moves. */
function confirmed(head: HeadUpdate, allowed: () => Promise<void>): HeadUpdate['move'] {
  return (repository, branch, compute) =>
    head.moveClean(repository, branch, async record => {
      const to = await compute(record);
      await allowed();
      return to;
    });
}

function checkStrategy({ strategy = 'none' }: MergeRequest): void {
  if (!strategies.includes(strategy))
    throw new SrvError('invalid', `invalid merge strategy: ${JSON.stringify(strategy)}: use dest-wins or source-wins, or leave it out`);
}

function checkParentNumber(number: number): number {
  if (number < 0)
    throw new SrvError('invalid', `parent number ${number}: given commit does not have the given parent number; it starts at 1`);
  return number;
}
