/** Ref expressions to commits (versioning rules, section 4.2). */

import { SrvError } from '@srv/kernel';
import { checkRef } from '@srv/lib-records';
import { parseRef } from './expression.js';
import type { Branches } from './branches.js';
import type { Commits } from './commits.js';
import type { Commit, Repository, ResolvedRef } from './contract.js';
import type { Step } from './expression.js';
import type { Tags } from './tags.js';

const fullId = /^[0-9a-f]{64}$/;
const idPrefix = /^[0-9a-f]{1,64}$/;

export class Resolver {
  readonly #branches: Branches;
  readonly #tags: Tags;
  readonly #commits: Commits;

  constructor(branches: Branches, tags: Tags, commits: Commits) {
    this.#branches = branches;
    this.#tags = tags;
    this.#commits = commits;
  }

  /** @throws SrvError `not_found` for an unknown base or an ancestor before the first commit, `invalid` for a bad expression. */
  async resolve(repository: Repository, ref: string): Promise<ResolvedRef> {
    checkRef(ref);
    const { base, steps, view } = parseRef(ref);
    const found = await this.#base(repository, base, ref);
    if (view !== undefined && found.branch === undefined)
      throw new SrvError('invalid', `invalid ref: ${ref}: @ and $ are allowed only after the name of a branch`);
    if (view === 'staging') return { ...found, staging: true };
    if (view === 'committed') return withoutStaging(found);
    if (steps.length === 0) return found;
    return { kind: 'commit', commitId: await this.#walk(repository, found.commitId, steps, ref), staging: false };
  }

  /** @throws SrvError also `invalid` for `branch$`. */
  async commit(repository: Repository, ref: string): Promise<Commit> {
    const { staging, commitId } = await this.resolve(repository, ref);
    if (staging) throw new SrvError('invalid', `reference '${ref}': reference to staging area with $ is not a commit`);
    if (commitId === '') throw new SrvError('not_found', `ref ${ref}: commit not found`);
    return this.#commits.get(repository, commitId);
  }

  /** Full commit id, branch, tag, commit-id prefix: the first that exists. */
  async #base(repository: Repository, base: string, ref: string): Promise<ResolvedRef> {
    if (fullId.test(base)) {
      const commit = await this.#commits.find(repository, base);
      if (commit) return { kind: 'commit', commitId: commit.id, staging: false };
    }
    const branch = await this.#branches.find(repository, base);
    if (branch) return { kind: 'branch', commitId: branch.commitId, branch, staging: false };
    const tag = await this.#tags.find(repository, base);
    if (tag) return { kind: 'tag', commitId: tag.commitId, staging: false };
    const commit = idPrefix.test(base) ? await this.#commits.findByPrefix(repository, base) : undefined;
    if (commit) return { kind: 'commit', commitId: commit.id, staging: false };
    throw new SrvError('not_found', `ref ${ref}: not found`, { details: { ref } });
  }

  async #walk(repository: Repository, from: string, steps: readonly Step[], ref: string): Promise<string> {
    let id = from;
    const read = this.#commits.walk(repository);
    for (const { kind, count } of steps) {
      for (let i = 0; i < (kind === 'ancestor' ? count : Math.min(count, 1)); i++) {
        const { parents } = await read(id);
        const parent = parents[kind === 'ancestor' ? 0 : count - 1];
        if (parent === undefined) {
          if (kind === 'ancestor') throw new SrvError('not_found', `ref ${ref}: not found: it goes back past the first commit`);
          throw new SrvError('invalid', `invalid ref: ${ref}: commit ${id} has ${parents.length} parents`);
        }
        id = parent;
      }
    }
    return id;
  }
}

function withoutStaging({ kind, commitId, staging }: ResolvedRef): ResolvedRef {
  return { kind, commitId, staging };
}
