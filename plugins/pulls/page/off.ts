/** Why a pull request cannot be changed. */
import { repositoryResource, useDenial } from '@srv/lib-page/page';

export function useOff(repository: string, readOnly: boolean): string | undefined {
  const denied = useDenial('pr:WritePullRequest', repositoryResource(repository));
  return readOnly ? 'this repository is read-only' : denied;
}
