/** Why a pull request cannot be changed. */
import { branchResource, repositoryResource, useDenial } from '@srv/lib-page/page';
import type { PullRequest } from './shapes.js';

export function useOff(repository: string, readOnly: boolean): string | undefined {
  const denied = useDenial('pr:WritePullRequest', repositoryResource(repository));
  return readOnly ? 'this repository is read-only' : denied;
}

/** Why hooks cannot be run for it: committing to either branch lets them run anyway. */
export function useChecksOff(
  repository: string,
  { source_branch: source, destination_branch: destination }: PullRequest,
): string | undefined {
  const onSource = useDenial('fs:CreateCommit', branchResource(repository, source));
  const onDestination = useDenial('fs:CreateCommit', branchResource(repository, destination));
  return onSource === undefined ? undefined : onDestination;
}
