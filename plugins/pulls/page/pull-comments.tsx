/** What is said about a pull request, in threads. */
import { Button, Field, Markdown, Time, With, ask, messageOf, notify, shownName, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { listComments, secondsOf } from './shapes.js';
import type { ComponentChildren } from 'preact';
import type { Comment, PullRequest } from './shapes.js';

interface PullCommentsProps {
  readonly repository: string;
  readonly pull: PullRequest;
  /** Why nothing can be said. */
  readonly off: string | undefined;
}

/** @returns whether it was done; a failure is shown. */
type Run = (operation: string, input: Readonly<Record<string, unknown>>) => Promise<boolean>;

export function PullComments({ repository, pull, off }: PullCommentsProps) {
  const found = useAsync(signal => listComments(repository, pull.id, signal), [repository, pull.id]);
  const run: Run = async (operation, input) => {
    try {
      await ask(operation, { repository, pull_request: pull.id, ...input });
      return true;
    } catch (error) {
      notify(messageOf(error), 'failed');
      return false;
    } finally {
      found.reload();
    }
  };
  const shared = { repository, pull, off, run };
  return (
    <section class="card gap" aria-label="Comments">
      <div class="card-body form">
        <With answer={found} rows={1}>
          {comments => (
            <>
              {comments
                .filter(({ parent_id: parent }) => parent === undefined)
                .map(comment => (
                  <Thread
                    key={comment.id}
                    {...shared}
                    comment={comment}
                    answers={comments.filter(({ parent_id: of }) => of === comment.id)}
                  />
                ))}
            </>
          )}
        </With>
        <Say label="Comment" off={off} onSay={body => run('createPullRequestComment', { body: { body } })} />
      </div>
    </section>
  );
}

interface ThreadProps extends PullCommentsProps {
  readonly comment: Comment;
  readonly answers: readonly Comment[];
  readonly run: Run;
}

function Thread({ repository, pull, off, comment, answers, run }: ThreadProps) {
  const { id, resolved, resolved_by: by, path, line } = comment;
  return (
    <article class="form" aria-label={`Thread of ${shownName(comment.author)}`}>
      {path !== undefined && (
        <p class="mono">
          {shownName(path)}
          {line === undefined ? '' : `:${line}`}
        </p>
      )}
      {[comment, ...answers].map(each => (
        <div key={each.id}>
          <strong>{shownName(each.author)}</strong> <Time seconds={secondsOf(each.creation_date)} />
          {each.deleted ? (
            <p class="muted">deleted</p>
          ) : (
            <Markdown text={each.body} repository={repository} ref_={pull.source_branch} path="" noHtml />
          )}
        </div>
      ))}
      {resolved && <p class="muted">Resolved{by === undefined ? '' : ` by ${by}`}</p>}
      <Say
        label="Answer"
        off={off}
        onSay={body => run('createPullRequestComment', { body: { body, parent_id: id } })}
        more={
          <Button off={off} onClick={() => void run('updatePullRequestComment', { comment: id, body: { resolved: !resolved } })}>
            {resolved ? 'Open again' : 'Resolve'}
          </Button>
        }
      />
    </article>
  );
}

interface SayProps {
  readonly label: string;
  readonly off: string | undefined;
  readonly onSay: (body: string) => Promise<boolean>;
  readonly more?: ComponentChildren;
}

function Say({ label, off, onSay, more }: SayProps) {
  const [body, setBody] = useState('');
  const say = async (): Promise<void> => {
    if (await onSay(body)) setBody('');
  };
  return (
    <div>
      <Field label={label} value={body} onInput={setBody} lines={2} hint="Markdown, without HTML" />
      <div class="group">
        <Button off={off ?? (body.trim() === '' ? 'write something first' : undefined)} onClick={() => void say()}>
          {label}
        </Button>
        {more}
      </div>
    </div>
  );
}
