/** Tags: creating, reading and deleting them, with their name clashes and events. */

import { SrvError } from '@srv/kernel';
import { checkNewTagId, checkTagId, checkWritable } from '@srv/lib-records';
import { nameOf, refuseCommitId } from './reference-rules.js';
import type { Branches } from './branches.js';
import type { Commits } from './commits.js';
import type { ChangeOptions, Page, PageRequest, Repository, Tag } from './contract.js';
import type { Events } from './events.js';
import type { Pins } from './pins/pins.js';
import type { Resolver } from './resolver.js';
import type { Tags } from './tags.js';

interface TagOperationsOptions {
  readonly branches: Branches;
  readonly tags: Tags;
  readonly commits: Commits;
  readonly resolver: Resolver;
  readonly events: Events;
  readonly pins: Pins;
}

export class TagOperations {
  readonly #options: TagOperationsOptions;

  constructor(options: TagOperationsOptions) {
    this.#options = options;
  }

  async createTag(repository: Repository, id: string, ref: string, options: ChangeOptions & { overwrite?: boolean } = {}): Promise<Tag> {
    checkNewTagId(id);
    checkWritable(repository, options);
    const { branches, commits, tags, resolver, events, pins } = this.#options;
    const [{ id: commitId }, branch, existing] = await Promise.all([
      resolver.commit(repository, ref),
      branches.find(repository, id),
      options.overwrite ? undefined : tags.find(repository, id),
    ]);
    if (branch) throw takenByBranch(id);
    await refuseCommitId(repository, id, commits);
    if (existing) throw new SrvError('not_unique', 'tag already exists: not unique', { details: { tag: id } });
    const facts = { sourceRef: commitId, tag: id, commitId, ...nameOf(options) };
    const preRunId = await events.before(repository, 'pre-create-tag', facts, { caller: options });
    const tag = { id, commitId };
    await pins.withPins(repository, { commits: [commitId] }, () => tags.create(repository, tag, options.overwrite ?? false));
    // A branch of this name may have been made meanwhile: a ref must not mean two commits.
    if (await branches.find(repository, id)) {
      await tags.remove(repository, id);
      throw takenByBranch(id);
    }
    events.after(repository, 'post-create-tag', { preRunId, ...facts });
    return tag;
  }

  async getTag(repository: Repository, id: string): Promise<Tag> {
    checkTagId(id);
    return this.#options.tags.get(repository, id);
  }

  listTags(repository: Repository, request: PageRequest = {}): Promise<Page<Tag>> {
    return this.#options.tags.list(repository, request);
  }

  async deleteTag(repository: Repository, id: string, options: ChangeOptions = {}): Promise<void> {
    checkTagId(id);
    checkWritable(repository, options);
    const { tags, events } = this.#options;
    const { commitId } = await tags.get(repository, id);
    const facts = { sourceRef: commitId, tag: id, commitId, ...nameOf(options) };
    const preRunId = await events.before(repository, 'pre-delete-tag', facts, { caller: options });
    if ((await tags.get(repository, id)).commitId !== commitId)
      throw new SrvError('conflict', `tag ${id} was moved, or created again, while it was deleted; repeat the operation`);
    await tags.remove(repository, id);
    events.after(repository, 'post-delete-tag', { preRunId, ...facts });
  }
}

function takenByBranch(id: string): SrvError {
  return new SrvError('conflict', `branch name ${id}: conflict found`);
}
