/** Option `iceberg.commit: each`: what a client of the catalog changes becomes a commit of the branch. */
import { isSrvError, messageOf } from '@srv/kernel';
import type { Engine } from '@srv/engine/contract';
import type { Logger } from '@srv/kernel';
import type { FaceRequest } from '@srv/lib-api/http';
import type { NamespacePlace } from './names.js';

interface BranchCommitsOptions {
  readonly engine: Engine;
  readonly log: Logger;
  /** Whether each change is committed. */
  readonly isEach: boolean;
}

export class BranchCommits {
  readonly #options: BranchCommitsOptions;

  constructor(options: BranchCommitsOptions) {
    this.#options = options;
  }

  /** After a change. One that cannot be committed, such as where a hook refuses, stays an uncommitted change. @param what as in `create table sales.books`. */
  async after(face: FaceRequest, { repository, ref }: Pick<NamespacePlace, 'repository' | 'ref'>, what: string): Promise<void> {
    const { engine, log, isEach } = this.#options;
    if (!isEach) return;
    try {
      await engine.commit(repository, ref, { committer: face.committer, user: face.user.username, message: `iceberg: ${what}` });
    } catch (error) {
      // Another commit was quicker, and has it.
      if (isSrvError(error, 'no_changes')) return;
      log.warn({ repository, branch: ref, change: what, error: messageOf(error) }, 'a change of the catalog was not committed');
    }
  }
}
