/** The error for a metarange that cannot be read: who runs a collection needs to know which commit stops it. */
import { SrvError, isSrvError } from '@srv/kernel';
import { commitsOf } from './repository-state.js';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';

/**
 * @param metarange of a commit of the repository, as a rule.
 * @returns the error with repository and commit named when the metarange is missing or damaged; else `error` itself.
 */
export async function unreadableCommit(kv: KvStore, repository: Repository, metarange: string, error: unknown): Promise<unknown> {
  if (!isSrvError(error, 'no_data', 'corrupt')) return error;
  const commits = await commitsOf(kv, repository);
  const commit = [...commits.values()].find(({ metarangeId }) => metarangeId === metarange);
  const owner = commit ? `commit ${commit.id} of repository ${repository.id}` : `repository ${repository.id}`;
  return new SrvError(
    error.code,
    `${owner}: metarange ${metarange} cannot be read, so nothing is known to be garbage: restore the file from a backup, or delete the repository: ${error.message}`,
    { cause: error, details: { repository: repository.id, commit: commit?.id, metarange } },
  );
}
