/** The tags of a repository, by the commit they name. */
import { call, useAsync } from '@srv/lib-page/page';

type TagsByCommit = ReadonlyMap<string, readonly string[]>;

/** Empty until it is known. */
export function useTagsOfCommits(repository: string): TagsByCommit {
  const tags = useAsync(
    async signal => groupTags((await call('listTags', { repository, amount: 1000 }, { signal })).results),
    [repository],
  );
  return tags.state === 'ready' ? tags.value : none;
}

const none: TagsByCommit = new Map();

function groupTags(tags: readonly { readonly id: string; readonly commit_id: string }[]): TagsByCommit {
  const byCommit = new Map<string, string[]>();
  for (const { id, commit_id: commit } of tags) byCommit.set(commit, [...(byCommit.get(commit) ?? []), id]);
  return byCommit;
}
