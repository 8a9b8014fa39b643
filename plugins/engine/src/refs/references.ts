/** Creating and deleting branches and tags, with their name clashes and events. */
import { checkBranchId, checkNewTagId, checkTagId, newStagingToken } from '@srv/lib-records';
import { SrvError } from '@srv/kernel';
import type { Branch, ChangeOptions, Repository, Tag } from './contract.js';
import type { Branches } from './branches.js';
import type { Commits } from './commits.js';
import type { EventFacts, Events } from './events.js';
import type { Resolver } from './resolver.js';
import { tokensOf } from './staging.js';
import type { Tags } from './tags.js';
import type { Pins } from './pins.js';
import type { TokenCleaner } from './token-cleaner.js';

interface ReferencesOptions {
  readonly branches: Branches;
  readonly tags: Tags;
  readonly commits: Commits;
  readonly resolver: Resolver;
  readonly events: Events;
  readonly cleaner: TokenCleaner;
  readonly pins: Pins;
}

export class References {
  readonly #options: ReferencesOptions;

  constructor(options: ReferencesOptions) {
    this.#options = options;
  }

  async createBranch(repository: Repository, id: string, source: string, options: ChangeOptions & { hidden?: boolean }): Promise<Branch> {
    checkBranchId(id);
    checkWritable(repository, options);
    const { branches, tags, resolver, events, pins } = this.#options;
    await this.#refuseCommitId(repository, id);
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

  async deleteBranch(repository: Repository, id: string, options: ChangeOptions): Promise<void> {
    checkBranchId(id);
    checkWritable(repository, options);
    if (id === repository.defaultBranch)
      throw new SrvError('forbidden', 'cannot delete repository default branch', { details: { branch: id } });
    const { branches, events, cleaner } = this.#options;
    const { value: branch } = await branches.read(repository, id);
    const facts = { sourceRef: branch.commitId, branch: id, ...nameOf(options) };
    const preRunId = await events.before(repository, 'pre-delete-branch', facts, { caller: options });
    const { value: last } = await branches.read(repository, id);
    await branches.remove(repository, id);
    await cleaner.drop(tokensOf(last));
    events.after(repository, 'post-delete-branch', { preRunId, ...facts });
  }

  async createTag(repository: Repository, id: string, ref: string, options: ChangeOptions & { overwrite?: boolean }): Promise<Tag> {
    checkNewTagId(id);
    checkWritable(repository, options);
    const { branches, tags, resolver, events, pins } = this.#options;
    const { id: commitId } = await resolver.commit(repository, ref);
    if (await branches.find(repository, id)) throw new SrvError('conflict', `branch name ${id}: conflict found`);
    await this.#refuseCommitId(repository, id);
    if (!options.overwrite && (await tags.find(repository, id)))
      throw new SrvError('not_unique', 'tag already exists: not unique', { details: { tag: id } });
    const facts = { sourceRef: commitId, tag: id, commitId, ...nameOf(options) };
    const preRunId = await events.before(repository, 'pre-create-tag', facts, { caller: options });
    const tag = { id, commitId };
    await pins.withPins(repository, { commits: [commitId] }, () => tags.create(repository, tag, options.overwrite ?? false));
    events.after(repository, 'post-create-tag', { preRunId, ...facts });
    return tag;
  }

  async deleteTag(repository: Repository, id: string, options: ChangeOptions): Promise<void> {
    checkTagId(id);
    checkWritable(repository, options);
    const { tags, events } = this.#options;
    const { commitId } = await tags.get(repository, id);
    const facts = { sourceRef: commitId, tag: id, commitId, ...nameOf(options) };
    const preRunId = await events.before(repository, 'pre-delete-tag', facts, { caller: options });
    await tags.remove(repository, id);
    events.after(repository, 'post-delete-tag', { preRunId, ...facts });
  }

  async #refuseCommitId(repository: Repository, id: string): Promise<void> {
    if (/^[0-9a-f]{64}$/.test(id) && (await this.#options.commits.find(repository, id)))
      throw new SrvError('conflict', `commit ID ${id}: conflict found`);
  }
}

function nameOf({ user }: ChangeOptions): Pick<EventFacts, 'user'> {
  return user === undefined ? {} : { user };
}

function checkWritable({ id, readOnly }: Repository, { force = false }: ChangeOptions): void {
  if (readOnly && !force) throw new SrvError('read_only', 'read-only repository', { details: { repository: id } });
}
