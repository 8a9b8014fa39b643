/** Which commit wrote a row of the listing last: asked for as the row comes into sight. */
import { signal } from '@preact/signals';
import { Time, call, commitOf, shownName, useAsync } from '@srv/lib-page/page';
import { fewAtATime } from '../../../src/model/few-at-a-time.js';

const key = 'srv.blame';

function stored(): boolean {
  try {
    return localStorage.getItem(key) === 'on';
  } catch {
    // Storage may be forbidden.
    return false;
  }
}

/** Off by default: each row is a request, and a search of the log. Kept in this browser. */
export const blameIsOn = signal(stored());

export function toggleBlame(): void {
  blameIsOn.value = !blameIsOn.value;
  try {
    if (blameIsOn.value) localStorage.setItem(key, 'on');
    else localStorage.removeItem(key);
  } catch {
    // Then it holds for this page only.
  }
}

interface BlameCellProps {
  readonly repository: string;
  readonly ref_: string;
  readonly path: string;
  readonly isFolder: boolean;
}

export function BlameCell({ repository, ref_: ref, path, isFolder }: BlameCellProps) {
  const found = useAsync(
    signal =>
      fewAtATime(async () => {
        const which = isFolder ? { prefixes: [path] } : { objects: [path] };
        return (await call('logCommits', { repository, ref, amount: 1, ...which }, { signal })).results[0];
      }, signal),
    [repository, ref, path],
  );
  if (found.state === 'failed') return <span title={String(found.error)}>not known</span>;
  if (found.state === 'loading') return null;
  if (!found.value) return <>uncommitted</>;
  const { id, message, committer, creation_date: date } = found.value;
  return (
    <>
      <a href={commitOf(repository, id)}>{message.split('\n', 1)[0] || '(no message)'}</a>
      {committer !== '' && ` · ${shownName(committer)}`} · <Time seconds={date} />
    </>
  );
}
