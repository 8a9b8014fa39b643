/** Who was last at a branch, asked for as its row comes into sight. */
import { Time, call, shownName, useAsync } from '@srv/lib-page/page';

interface Last {
  readonly message: string;
  readonly committer: string;
  readonly creation_date: number;
}

/** Commits never change: each is asked for once. */
const known = new Map<string, Promise<Last>>();
const mostKnown = 5000;

export function lastCommit(repository: string, commit: string): Promise<Last> {
  const key = `${repository} ${commit}`;
  let found = known.get(key);
  if (!found) {
    found = call('getCommit', { repository, commitId: commit });
    found.catch(() => known.delete(key));
    if (known.size > mostKnown) known.clear();
    known.set(key, found);
  }
  return found;
}

export function LastCommit({ repository, commit }: { readonly repository: string; readonly commit: string }) {
  const answer = useAsync(() => lastCommit(repository, commit), [repository, commit]);
  if (answer.state !== 'ready') return null;
  const { message, committer, creation_date: date } = answer.value;
  return (
    <>
      {message.split('\n', 1)[0] || '(no message)'} · {committer !== '' && `${shownName(committer)} · `}
      <Time seconds={date} />
    </>
  );
}
