/** The default branch of a repository. */
import { call, useAsync } from '@srv/lib-page/page';

interface MainBranch {
  /** Empty while it is not known. */
  readonly name: string;
  readonly commit: string | undefined;
  readonly reload: () => void;
}

export function useMainBranch(repository: string): MainBranch {
  const facts = useAsync(signal => call('getRepository', { repository }, { signal }), [repository]);
  const name = facts.state === 'ready' ? facts.value.default_branch : '';
  const branch = useAsync(
    async signal => (name === '' ? undefined : (await call('getBranch', { repository, branch: name }, { signal })).commit_id),
    [repository, name],
  );
  return { name, commit: branch.state === 'ready' ? branch.value : undefined, reload: branch.reload };
}
