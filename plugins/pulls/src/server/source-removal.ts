/** Deletes the source of a merged pull request, where the settings say so and nothing is lost with it. */
import { SrvError } from '@srv/kernel';
import type { Branch, Commit, Engine, Repository } from '@srv/engine/contract';
import type { Logger } from '@srv/kernel';
import type { PullRequest } from '../contract.js';
import type { SettingsOfRepository } from './settings.js';

/** The source stays when it is the default branch, has uncommitted changes or has moved since the merge. */
export function sourceRemoval(engine: Engine, settings: Pick<SettingsOfRepository, 'of'>, log: Logger) {
  async function isMerged(repository: Repository, { id, commitId }: Branch, { parents }: Commit): Promise<boolean> {
    if (commitId !== parents[1]) return false;
    const { results } = await engine.diffUncommitted(repository, id, { amount: 1 });
    return results.length === 0;
  }

  /** @param user who merges. */
  return async (repository: Repository, { source }: PullRequest, merge: Commit, user: string): Promise<void> => {
    try {
      const { deleteSourceOnMerge } = await settings.of(repository);
      if (!deleteSourceOnMerge || source === repository.defaultBranch) return;
      if (!(await isMerged(repository, await engine.getBranch(repository, source), merge))) return;
      await engine.deleteBranch(repository, source, {
        user,
        // Hooks may have taken their time.
        async confirm(last) {
          if (!(await isMerged(repository, last, merge)))
            throw new SrvError('precondition_failed', `branch ${source} was written to while it was being deleted: merge it again`);
        },
      });
    } catch (error) {
      // The merge stands.
      log.warn({ repository: repository.id, branch: source, err: error }, 'source of a merged pull request was not deleted');
    }
  };
}
