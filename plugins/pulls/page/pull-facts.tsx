/** Who wants to merge what, since when, and the result. */
import { Markdown, Time, commitOf, objectsOf, shortRef, shownName } from '@srv/lib-page/page';
import { secondsOf } from './shapes.js';
import type { PullRequest } from './shapes.js';

export function PullFacts({ repository, pull }: { readonly repository: string; readonly pull: PullRequest }) {
  const { status, author, source_branch: source, destination_branch: destination, description, merged_commit_id: merged } = pull;
  return (
    <div class="card gap">
      <div class="card-body form">
        <p>
          <strong>{shownName(author)}</strong> {status === 'open' ? 'wants to merge' : 'wanted to merge'}{' '}
          <a href={objectsOf(repository, source)}>{shownName(source)}</a> into{' '}
          <a href={objectsOf(repository, destination)}>{shownName(destination)}</a> · opened{' '}
          <Time seconds={secondsOf(pull.creation_date)} />
          {pull.closed_date !== undefined && status !== 'open' && (
            <>
              {' '}
              · {status} <Time seconds={secondsOf(pull.closed_date)} />
            </>
          )}
          {merged && (
            <>
              {' '}
              as{' '}
              <a class="mono" href={commitOf(repository, merged)}>
                {shortRef(merged)}
              </a>
            </>
          )}
        </p>
        {description === '' ? (
          <p class="muted">No description</p>
        ) : (
          <Markdown text={description} repository={repository} ref_={source} path="" noHtml />
        )}
      </div>
    </div>
  );
}
