/** Branches: creating, reading, resetting and deleting them, with their name clashes and events. */

import { SrvError } from '@srv/kernel';
import { checkBranchId, checkWritable, newStagingToken, pageSize, pathKey } from '@srv/lib-records';
import { reflog } from './branch-log/reflog.js';
import { dirtyBranch } from './head-update.js';
import { startsWith } from './keys.js';
import { nameOf, refuseCommitId } from './reference-rules.js';
import { scanStaged, tokensOf } from './staging.js';
import type { KvStore } from '@srv/kernel';
import type { BranchJumps } from './branch-log/jumps.js';
import type { ReflogPlace } from './branch-log/reflog.js';
import type { BranchWriter } from './branch-writer.js';
import type { Branches } from './branches.js';
import type { Commits } from './commits.js';
import type {
  Branch,
  BranchDeletion,
  BranchLogEntry,
  ChangeOptions,
  DeletedBranch,
  Forceable,
  Page,
  PageRequest,
  Repository,
  ResetScope,
} from './contract.js';
import type { Events } from './events.js';
import type { HeadUpdate } from './head-update.js';
import type { StoredBranch } from './messages/index.js';
import type { Pins } from './pins/pins.js';
import type { Protection } from './protection.js';
import type { Resolver } from './resolver.js';
import type { Tags } from './tags.js';
import type { TokenCleaner } from './token-cleaner.js';

interface BranchOperationsOptions {
  readonly kv: KvStore;
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
  readonly jumps: BranchJumps;
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
    return this.#create(repository, id, source, 'create', { caller: options, hidden: options.hidden ?? false });
  }

  async #create(
    repository: Repository,
    id: string,
    source: string,
    operation: 'create' | 'undelete',
    { caller, hidden }: { readonly caller: ChangeOptions; readonly hidden: boolean },
  ): Promise<Branch> {
    const { branches, commits, jumps, tags, resolver, events, pins } = this.#options;
    await refuseCommitId(repository, id, commits);
    const head = resolver.commit(repository, source);
    // What is wrong with the source is said last.
    head.catch(() => undefined);
    const [tag, existing] = await Promise.all([tags.find(repository, id), branches.find(repository, id)]);
    if (tag) throw takenByTag(id);
    if (existing) throw new SrvError('not_unique', 'branch already exists: not unique', { details: { branch: id } });
    const { id: commitId } = await head;
    const facts = { sourceRef: source, branch: id, commitId, ...nameOf(caller) };
    const preRunId = await events.before(repository, 'pre-create-branch', facts, { caller });
    const { user = '' } = caller;
    const branch = { id, commitId, stagingToken: newStagingToken(repository, id), sealedTokens: [], hidden };
    const creation = { branch: id, operation, to: commitId, user, hidden };
    await jumps.addCreation(repository, creation);
    await pins.withPins(repository, { commits: [commitId] }, () => branches.create(repository, branch));
    // A tag of this name may have been made meanwhile, as hooks and pins take their time: a ref must not mean two commits.
    if (await tags.find(repository, id)) {
      await branches.remove(repository, id);
      throw takenByTag(id);
    }
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

  async deleteBranch(repository: Repository, id: string, options: BranchDeletion = {}): Promise<void> {
    checkBranchId(id);
    checkWritable(repository, options);
    if (id === repository.defaultBranch)
      throw new SrvError('forbidden', 'cannot delete repository default branch', { details: { branch: id } });
    const { branches, events, cleaner, head, protection } = this.#options;
    const { value: branch } = await branches.read(repository, id);
    await protection.require({ repository, branch: id, actions: ['delete'] }, 'cannot delete protected branch');
    const facts = { sourceRef: branch.commitId, branch: id, ...nameOf(options) };
    const preRunId = await events.before(repository, 'pre-delete-branch', facts, { caller: options });
    await head.exclusively(repository, id, async () => {
      const last = await this.#readyToDelete(repository, branch, options);
      await branches.remove(repository, id);
      await cleaner.drop(tokensOf(last));
    });
    events.after(repository, 'post-delete-branch', { preRunId, ...facts });
  }

  /** Notes the deletion, with the head that the branch really has at its end. @throws SrvError `not_found` for another of its name. */
  async #readyToDelete(repository: Repository, branch: StoredBranch, options: BranchDeletion): Promise<StoredBranch> {
    const { branches, jumps } = this.#options;
    const { id } = branch;
    for (let noted: string | undefined; ; ) {
      const { value: last } = await branches.read(repository, id);
      const { commitId: from, hidden } = last;
      if (last.instanceUid !== branch.instanceUid)
        throw new SrvError('not_found', `branch '${id}' was deleted and created again meanwhile: branch not found`, {
          details: { branch: id },
        });
      if (from === noted) return last;
      await options.confirm?.(last);
      await jumps.add(repository, { branch: id, operation: 'delete', from, to: '', user: options.user ?? '', hidden });
      noted = from;
    }
  }

  /** Branches that no longer exist and can be restored, in order of names. */
  async deletedBranches(repository: Repository, { prefix = '', after = '', amount }: PageRequest = {}): Promise<Page<DeletedBranch>> {
    const { branches, jumps } = this.#options;
    const limit = pageSize(amount);
    const results: DeletedBranch[] = [];
    for await (const { branch, from, time, user, keptUntil } of jumps.deletions(repository, after)) {
      if (!branch.startsWith(prefix) || (await branches.find(repository, branch))) continue;
      if (results.length === limit) return { results, hasMore: true, nextOffset: results.at(-1)?.id ?? '' };
      results.push({ id: branch, commitId: from, deletedAt: time, deletedBy: user, keptUntil });
    }
    return { results, hasMore: false, nextOffset: '' };
  }

  /**
   * Restores a deleted branch at its last head, without uncommitted changes.
   * @param options `as`: another name for it. @throws SrvError `not_unique` when a branch has the name, `not_found` when no
   * deletion is kept.
   */
  async undeleteBranch(repository: Repository, id: string, options: ChangeOptions & { readonly as?: string } = {}): Promise<Branch> {
    checkBranchId(id);
    const { branches, jumps } = this.#options;
    const name = options.as ?? id;
    checkBranchId(name);
    checkWritable(repository, options);
    const deletion = await firstOf(jumps.of(repository, id), ({ operation }) => operation === 'delete');
    if (!deletion)
      throw new SrvError('not_found', `no deletion of a branch '${id}' is kept: branch not found`, { details: { branch: id } });
    if (await branches.find(repository, name))
      throw new SrvError('not_unique', `branch '${name}' exists: not unique; restore '${id}' under another name`, {
        details: { branch: name },
      });
    return this.#create(repository, name, deletion.from, 'undelete', { caller: options, hidden: deletion.hidden });
  }

  /** Where a branch has been, deleted ones included. @throws SrvError `not_found` when nothing is known of it. */
  async branchLog(repository: Repository, id: string, { after = '', amount }: PageRequest = {}): Promise<Page<BranchLogEntry>> {
    checkBranchId(id);
    const { branches, commits, jumps } = this.#options;
    const limit = pageSize(amount);
    const branch = await branches.find(repository, id);
    const place = after === '' ? { head: branch?.commitId ?? '', jump: '' } : placeOf(after);
    const sources = {
      commit: (commitId: string) => commits.get(repository, commitId),
      jumps: (from: string) => jumps.of(repository, id, from),
    };
    const results: BranchLogEntry[] = [];
    let last: ReflogPlace = place;
    for await (const { entry, next } of reflog(place, sources)) {
      if (results.length === limit) return { results, hasMore: true, nextOffset: `${last.head}.${last.jump}` };
      results.push(entry);
      last = next;
    }
    if (!branch && results.length === 0)
      throw new SrvError('not_found', `branch '${id}' not found: branch not found`, { details: { branch: id } });
    return { results, hasMore: false, nextOffset: '' };
  }

  async resetBranch(repository: Repository, id: string, scope: ResetScope, options: Forceable = {}): Promise<void> {
    const { head, writer } = this.#options;
    await writer.check(repository, id, options);
    if (scope.type === 'all') return head.discardStaging(repository, id);
    if (scope.type === 'object') return writer.resetKeys(repository, id, () => onePage([pathKey(scope.path)]), options);
    const prefix = Buffer.from(scope.prefix, 'utf8');
    return writer.resetKeys(repository, id, branch => this.#keysBelow(branch, prefix), options);
  }

  async hardResetBranch(repository: Repository, id: string, ref: string, options: ChangeOptions = {}): Promise<void> {
    const { head, protection, resolver } = this.#options;
    checkBranchId(id);
    await protection.require({ repository, branch: id, actions: ['commit', 'staging_write'] }, 'protected branch');
    checkWritable(repository, options);
    try {
      // What is wrong with the ref is said before the branch is waited for.
      await resolver.commit(repository, ref);
      await head.exclusively(repository, id, async () => {
        while (!(await this.#movedTo(repository, id, ref, options)));
      });
    } catch (error) {
      if (error instanceof SrvError && error.code === 'dirty_branch')
        throw new SrvError('dirty_branch', `${id}: ${dirtyBranch(id).message}`, { cause: error });
      throw error;
    }
  }

  /** @returns false: another server moved what `ref` refers to, such as this branch, in the meantime. */
  async #movedTo(repository: Repository, id: string, ref: string, { user = '' }: ChangeOptions): Promise<boolean> {
    const { head, jumps, pins, resolver } = this.#options;
    const { id: target } = await resolver.commit(repository, ref);
    let isTarget = true;
    await pins.withPins(repository, { commits: [target] }, () =>
      head.moveClean(repository, id, async ({ commitId: from, hidden }) => {
        isTarget = (await resolver.commit(repository, ref)).id === target;
        if (!isTarget) return { commitId: from };
        if (from !== target) await jumps.add(repository, { branch: id, operation: 'reset', from, to: target, user, hidden });
        return { commitId: target };
      }),
    );
    return isTarget;
  }

  /** Also rows that repeat what is committed: one of a sealed partition may be an earlier try of a reset, which compaction did not see. */
  async *#keysBelow(branch: StoredBranch, prefix: Buffer): AsyncGenerator<Buffer[]> {
    const start = prefix.length > 0 ? prefix : undefined;
    for await (const page of scanStaged(this.#options.kv, tokensOf(branch), start)) {
      const inside = page.filter(({ key }) => startsWith(key, prefix)).map(({ key }) => key);
      if (inside.length > 0) yield inside;
      if (inside.length < page.length) return;
    }
  }
}

async function firstOf<T>(items: AsyncIterable<T>, wanted: (item: T) => boolean): Promise<T | undefined> {
  for await (const item of items) if (wanted(item)) return item;
  return undefined;
}

/** @throws SrvError `invalid` for what no page has answered. */
function placeOf(offset: string): ReflogPlace {
  const [head = '', jump, ...rest] = offset.split('.');
  if (jump === undefined || rest.length > 0 || !/^([0-9a-f]{64})?$/.test(head) || !/^([0-9a-v]{20}|~)?$/.test(jump))
    throw new SrvError('invalid', `after: ${JSON.stringify(offset)} is not the next offset of a page of the branch log`);
  return { head, jump };
}

async function* onePage(keys: readonly Buffer[]): AsyncGenerator<readonly Buffer[]> {
  yield keys;
}

function takenByTag(id: string): SrvError {
  return new SrvError('conflict', `tag ID ${id}: conflict found`);
}
