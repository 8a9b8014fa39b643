/** Branches: creating, reading, resetting and deleting them, with their name clashes and events. */

import { SrvError } from '@srv/kernel';
import { checkBranchId, checkWritable, newStagingToken, pathKey } from '@srv/lib-records';
import { dirtyBranch } from './head-update.js';
import { metarangeOf, startsWith } from './keys.js';
import { nameOf, refuseCommitId } from './reference-rules.js';
import { tokensOf } from './staging.js';
import { uncommittedDiff } from './uncommitted.js';
import type { KvStore } from '@srv/kernel';
import type { CommittedStore } from '../tables/contract.js';
import type { BranchWriter } from './branch-writer.js';
import type { Branches } from './branches.js';
import type { Commits } from './commits.js';
import type { Branch, ChangeOptions, Forceable, Page, PageRequest, Repository, ResetScope } from './contract.js';
import type { Events } from './events.js';
import type { HeadUpdate } from './head-update.js';
import type { StoredBranch } from './messages/index.js';
import type { Pins } from './pins.js';
import type { Protection } from './protection.js';
import type { Resolver } from './resolver.js';
import type { Tags } from './tags.js';
import type { TokenCleaner } from './token-cleaner.js';

interface BranchOperationsOptions {
  readonly kv: KvStore;
  readonly committed: CommittedStore;
  readonly branches: Branches;
  readonly tags: Tags;
  readonly commits: Commits;
  readonly resolver: Resolver;
  readonly events: Events;
  readonly cleaner: TokenCleaner;
  readonly pins: Pins;
  readonly head: HeadUpdate;
  readonly protection: Protection;
  readonly writer: BranchWriter;
}

export class BranchOperations {
  readonly #options: BranchOperationsOptions;

  constructor(options: BranchOperationsOptions) {
    this.#options = options;
  }

  async createBranch(
    repository: Repository,
    id: string,
    source: string,
    options: ChangeOptions & { hidden?: boolean } = {},
  ): Promise<Branch> {
    checkBranchId(id);
    checkWritable(repository, options);
    const { branches, commits, tags, resolver, events, pins } = this.#options;
    await refuseCommitId(repository, id, commits);
    if (await tags.find(repository, id)) throw new SrvError('conflict', `tag ID ${id}: conflict found`);
    if (await branches.find(repository, id))
      throw new SrvError('not_unique', 'branch already exists: not unique', { details: { branch: id } });
    const { id: commitId } = await resolver.commit(repository, source);
    const facts = { sourceRef: source, branch: id, commitId, ...nameOf(options) };
    const preRunId = await events.before(repository, 'pre-create-branch', facts, { caller: options });
    const branch = { id, commitId, stagingToken: newStagingToken(repository, id), sealedTokens: [], hidden: options.hidden ?? false };
    await pins.withPins(repository, { commits: [commitId] }, () => branches.create(repository, branch));
    events.after(repository, 'post-create-branch', { preRunId, ...facts });
    return branch;
  }

  async getBranch(repository: Repository, id: string): Promise<StoredBranch> {
    checkBranchId(id);
    return this.#options.branches.get(repository, id);
  }

  listBranches(repository: Repository, request: PageRequest & { showHidden?: boolean } = {}): Promise<Page<Branch>> {
    return this.#options.branches.list(repository, request);
  }

  async deleteBranch(repository: Repository, id: string, options: ChangeOptions = {}): Promise<void> {
    checkBranchId(id);
    checkWritable(repository, options);
    if (id === repository.defaultBranch)
      throw new SrvError('forbidden', 'cannot delete repository default branch', { details: { branch: id } });
    const { branches, events, cleaner, protection } = this.#options;
    const { value: branch } = await branches.read(repository, id);
    await protection.require({ repository, branch: id, actions: ['delete'] }, 'cannot delete protected branch');
    const facts = { sourceRef: branch.commitId, branch: id, ...nameOf(options) };
    const preRunId = await events.before(repository, 'pre-delete-branch', facts, { caller: options });
    const { value: last } = await branches.read(repository, id);
    await branches.remove(repository, id);
    await cleaner.drop(tokensOf(last));
    events.after(repository, 'post-delete-branch', { preRunId, ...facts });
  }

  async resetBranch(repository: Repository, id: string, scope: ResetScope, options: Forceable = {}): Promise<void> {
    const { head, writer } = this.#options;
    await writer.check(repository, id, options);
    if (scope.type === 'all') return head.discardStaging(repository, id);
    if (scope.type === 'object') return writer.resetKeys(repository, id, () => onePage([pathKey(scope.path)]), options);
    const prefix = Buffer.from(scope.prefix, 'utf8');
    return writer.resetKeys(repository, id, branch => this.#keysBelow(repository, branch, prefix), options);
  }

  async hardResetBranch(repository: Repository, id: string, ref: string, options: Forceable = {}): Promise<void> {
    const { head, pins, protection, resolver } = this.#options;
    checkBranchId(id);
    await protection.require({ repository, branch: id, actions: ['commit', 'staging_write'] }, 'protected branch');
    checkWritable(repository, options);
    try {
      const { id: target } = await resolver.commit(repository, ref);
      await pins.withPins(repository, { commits: [target] }, () =>
        head.exclusively(repository, id, () => head.moveClean(repository, id, async () => target)),
      );
    } catch (error) {
      if (error instanceof SrvError && error.code === 'dirty_branch')
        throw new SrvError('dirty_branch', `${id}: ${dirtyBranch(id).message}`, { cause: error });
      throw error;
    }
  }

  async *#keysBelow(repository: Repository, branch: StoredBranch, prefix: Buffer): AsyncGenerator<Buffer[]> {
    const { kv, committed, commits } = this.#options;
    const base = await metarangeOf(repository, branch, commits);
    const start = prefix.length > 0 ? prefix : undefined;
    for await (const page of uncommittedDiff(repository, tokensOf(branch), base, { kv, committed }, start)) {
      const inside = page.filter(({ key }) => startsWith(key, prefix)).map(({ key }) => key);
      if (inside.length > 0) yield inside;
      if (inside.length < page.length) return;
    }
  }
}

async function* onePage(keys: readonly Buffer[]): AsyncGenerator<readonly Buffer[]> {
  yield keys;
}
