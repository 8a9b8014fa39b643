/** Who is asked to review a pull request. */
import { Button, Field, With, ask, messageOf, notify, shownName, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { listReviewers } from './shapes.js';
import type { PullRequest } from './shapes.js';

interface PullReviewersProps {
  readonly repository: string;
  readonly pull: PullRequest;
  /** Why nothing can be changed. */
  readonly off: string | undefined;
}

export function PullReviewers({ repository, pull, off }: PullReviewersProps) {
  const [name, setName] = useState('');
  const found = useAsync(signal => listReviewers(repository, pull.id, signal), [repository, pull.id]);
  const run = async (operation: string, reviewer: string): Promise<void> => {
    try {
      await ask(operation, { repository, pull_request: pull.id, reviewer });
      setName('');
    } catch (error) {
      notify(messageOf(error), 'failed');
    }
    found.reload();
  };
  return (
    <section class="card gap" aria-label="Reviewers">
      <div class="card-body group">
        <With answer={found} rows={1}>
          {reviewers => (
            <>
              {reviewers.length === 0 && <span class="muted">No reviewers</span>}
              {reviewers.map(({ user_id: user }) => (
                <span key={user} class="badge">
                  {shownName(user)}
                  {pull.status === 'open' && (
                    <Button
                      kind="plain"
                      icon="close"
                      label={`Remove ${shownName(user)}`}
                      off={off}
                      onClick={() => void run('removePullRequestReviewer', user)}
                    />
                  )}
                </span>
              ))}
            </>
          )}
        </With>
        {pull.status === 'open' && (
          <form
            class="spread group"
            onSubmit={event => {
              event.preventDefault();
              if (name.trim() !== '') void run('requestPullRequestReview', name.trim());
            }}
          >
            <Field label="Reviewer" value={name} onInput={setName} />
            <Button type="submit" off={off ?? (name.trim() === '' ? 'name a user' : undefined)}>
              Ask for a review
            </Button>
          </form>
        )}
      </div>
    </section>
  );
}
