/** The commits that a pull request would bring, or has brought. */
import { Empty, PagedRows, Time, call, commitOf, shortRef, shownName, usePages } from '@srv/lib-page/page';
// Completes the types of operations.
import type {} from '@srv/engine/operations';
import type { PullRequest } from './shapes.js';

interface PullCommitsProps {
  readonly repository: string;
  readonly pull: PullRequest;
  /** Another number: look again. */
  readonly turn: number;
}

export function PullCommits({ repository, pull, turn }: PullCommitsProps) {
  const { id, source_branch: source, destination_branch: destination, merged_commit_id: merged } = pull;
  const pages = usePages(
    (after, signal) =>
      call(
        'logCommits',
        { repository, ref: merged || source, exclude: merged ? `${merged}~1` : destination, after, amount: 200 },
        { signal },
      ),
    [repository, id, merged, turn],
  );
  return (
    <div class="card">
      <PagedRows
        label="Commits of the pull request"
        class="tall"
        pages={pages}
        items={pages.items}
        height={56}
        empty={<Empty icon="commit" title="No commits" />}
        row={({ id: commit, message, committer, creation_date: date }) => (
          <div key={commit} class="row pull-row" role="row">
            <div role="cell">
              <div class="cell-name">
                <a href={commitOf(repository, commit)} title={message}>
                  {message.split('\n', 1)[0] || '(no message)'}
                </a>
              </div>
              <div class="small muted one-line">
                {committer !== '' && `${shownName(committer)} · `}
                <Time seconds={date} />
              </div>
            </div>
            <span role="cell" class="wide-only mono">
              {shortRef(commit)}
            </span>
          </div>
        )}
      />
    </div>
  );
}
