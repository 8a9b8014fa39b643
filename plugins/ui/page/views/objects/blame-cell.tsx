/** Which commit wrote a row of the listing last: asked for as the row comes into sight. */
import { computed, signal } from '@preact/signals';
import { Time, commitOf, grouped, shownName, useAsync } from '@srv/lib-page/page';
import { lastCommitOf } from './last-commits.js';

const key = 'srv.blame';

function stored(): boolean {
  try {
    return localStorage.getItem(key) !== 'off';
  } catch {
    // Storage may be forbidden.
    return true;
  }
}

/** Kept in this browser. */
const isWanted = signal(stored());

/** Narrow windows have no room for it. */
const wide = matchMedia('(min-width: 721px)');
const isWide = signal(wide.matches);
wide.addEventListener('change', () => {
  isWide.value = wide.matches;
});

export const blameIsOn = computed(() => isWanted.value && isWide.value);

export function toggleBlame(): void {
  isWanted.value = !isWanted.value;
  try {
    if (isWanted.value) localStorage.removeItem(key);
    else localStorage.setItem(key, 'off');
  } catch {
    // Then it holds for this page only.
  }
}

const turn = signal(0);

/** Asks for all rows in sight again: commits may have been added. */
export function refreshBlame(): void {
  turn.value++;
}

interface BlameCellProps {
  readonly repository: string;
  readonly ref_: string;
  /** Folders have a trailing slash. */
  readonly path: string;
}

export function BlameCell({ repository, ref_: ref, path }: BlameCellProps) {
  const found = useAsync(() => lastCommitOf(repository, ref, path), [repository, ref, path, turn.value]);
  if (found.state === 'failed') return <span title={String(found.error)}>not known</span>;
  if (found.state === 'loading') return null;
  const { commit, newest } = found.value;
  if (!commit)
    return newest === undefined ? null : <span title={`None of the newest ${grouped(newest)} commits changed it`}>older commits</span>;
  const { id, message, committer, creation_date: date } = commit;
  return (
    <>
      <a href={commitOf(repository, id)} title={message}>
        {message.split('\n', 1)[0] || '(no message)'}
      </a>
      {committer !== '' && ` · ${shownName(committer)}`} · <Time seconds={date} />
    </>
  );
}
