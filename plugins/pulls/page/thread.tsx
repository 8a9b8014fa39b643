/** A comment and the replies to it. One that is resolved is folded. */
import { Button, shownName } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { CommentForm } from './comment-form.js';
import { SaidComment } from './said-comment.js';
import type { ComponentChildren } from 'preact';
import type { PullRequest } from './shapes.js';
import type { Comments, ThreadOfComments } from './use-comments.js';

interface ThreadProps extends ThreadOfComments {
  readonly repository: string;
  readonly pull: PullRequest;
  readonly comments: Comments;
  readonly off: string | undefined;
  /** What it is about. */
  readonly children?: ComponentChildren;
}

export function Thread({ comment, replies, children, ...shared }: ThreadProps) {
  const { comments, off } = shared;
  const { id, resolved, resolved_by: by } = comment;
  const [isOpen, setIsOpen] = useState(false);
  const isFolded = resolved && !isOpen;
  return (
    <article class="form thread" aria-label={`Thread of ${shownName(comment.author)}`}>
      {children}
      {resolved && (
        <div class="group">
          <span class="muted">Resolved{by === undefined ? '' : ` by ${shownName(by)}`}</span>
          <Button kind="plain" icon={isOpen ? 'down' : 'right'} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        </div>
      )}
      {!isFolded && [comment, ...replies].map(each => <SaidComment key={each.id} {...shared} comment={each} />)}
      {isFolded ? null : (
        <CommentForm label="Reply" off={off} onSay={body => comments.run('createPullRequestComment', { body: { body, parent_id: id } })}>
          <Button off={off} onClick={() => void comments.run('updatePullRequestComment', { comment: id, body: { resolved: !resolved } })}>
            {resolved ? 'Open again' : 'Resolve'}
          </Button>
        </CommentForm>
      )}
    </article>
  );
}
