/** Deletes the source of a merged pull request, where the settings say so and nothing is lost with it. */
import type { Engine, Repository } from '@srv/engine/contract';
import type { Logger } from '@srv/kernel';
import type { PullRequest } from '../contract.js';
import type { SettingsOfRepository } from './settings.js';

/** The source stays when it is the default branch, has uncommitted changes or has moved since the merge. */
export function sourceRemoval(engine: Engine, settings: Pick<SettingsOfRepository, 'of'>, log: Logger) {
  return async (repository: Repository, { source }: PullRequest, mergedCommit: string | undefined): Promise<void> => {
    try {
      const { deleteSourceOnMerge } = await settings.of(repository);
      if (!deleteSourceOnMerge || source === repository.defaultBranch) return;
      const { commitId } = await engine.getBranch(repository, source);
      if (commitId !== mergedCommit) return;
      const { results } = await engine.diffUncommitted(repository, source, { amount: 1 });
      if (results.length === 0) await engine.deleteBranch(repository, source);
    } catch (error) {
      // The merge stands.
      log.warn({ repository: repository.id, branch: source, err: error }, 'source of a merged pull request was not deleted');
    }
  };
}
