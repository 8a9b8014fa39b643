/** What refs show: records by key, cursors over all of them. */

import { BranchViewCursor, committedPart, getFromView } from './branch-view.js';
import type { KvStore } from '@srv/kernel';
import type { CommittedStore } from '../tables/contract.js';
import type { Retirement } from './branch-snapshot.js';
import type { ViewSources } from './branch-view.js';
import type { Commits } from './commits.js';
import type { CommittedPart, Repository, StoredValue } from './contract.js';
import type { Folding } from './folding.js';
import type { Resolver } from './resolver.js';

interface ViewsOptions {
  readonly kv: KvStore;
  readonly committed: CommittedStore;
  readonly commits: Commits;
  readonly resolver: Resolver;
  readonly retirement: Retirement;
  readonly folding: Folding;
}

export class Views {
  readonly #options: ViewsOptions;

  constructor(options: ViewsOptions) {
    this.#options = options;
  }

  async get(repository: Repository, ref: string, key: Buffer): Promise<StoredValue | undefined> {
    return getFromView(repository, key, this.#sources(repository, ref));
  }

  /** Close it, also after an error. */
  async view(repository: Repository, ref: string): Promise<BranchViewCursor> {
    return BranchViewCursor.open(repository, this.#sources(repository, ref));
  }

  /** How far the view from `from` on equals that of a commit. */
  async committedPart(repository: Repository, ref: string, from: Buffer): Promise<CommittedPart> {
    return committedPart(from, this.#sources(repository, ref));
  }

  #sources(repository: Repository, ref: string): ViewSources {
    const { kv, committed, commits, resolver, retirement, folding } = this.#options;
    return {
      kv,
      committed,
      commit: id => commits.get(repository, id),
      resolve: () => resolver.resolve(repository, ref),
      retirement,
      walked: ({ id }, rows) => folding.noteWalk(repository, id, rows),
    };
  }
}
