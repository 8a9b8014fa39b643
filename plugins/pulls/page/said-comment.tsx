/** One comment; its author can change and delete it. */
import { Button, Confirm, Markdown, Time, session, shownName } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { CommentForm } from './comment-form.js';
import { secondsOf } from './shapes.js';
import type { Comment, PullRequest } from './shapes.js';
import type { Comments } from './use-comments.js';

interface SaidCommentProps {
  readonly repository: string;
  readonly pull: PullRequest;
  readonly comment: Comment;
  readonly comments: Comments;
  readonly off: string | undefined;
}

export function SaidComment({ repository, pull, comment, comments, off }: SaidCommentProps) {
  const { id, author, author_id: authorId, body, creation_date: created, updated_date: updated, deleted } = comment;
  const [doing, setDoing] = useState<'edit' | 'delete'>();
  const isOwn = session.value.state === 'in' && session.value.user.id === authorId;
  const change = async (text: string): Promise<boolean> => {
    const isDone = await comments.run('updatePullRequestComment', { comment: id, body: { body: text } });
    if (isDone) setDoing(undefined);
    return isDone;
  };
  return (
    <div>
      <div class="group">
        <strong>{shownName(author)}</strong>
        <Time seconds={secondsOf(created)} />
        {!deleted && updated !== created && <span class="muted small">changed</span>}
        {isOwn && !deleted && (
          <>
            <Button kind="plain" off={off} onClick={() => setDoing(doing === 'edit' ? undefined : 'edit')}>
              {doing === 'edit' ? 'Cancel' : 'Edit comment'}
            </Button>
            <Button kind="plain" icon="trash" label="Delete comment" off={off} onClick={() => setDoing('delete')} />
          </>
        )}
      </div>
      {deleted ? (
        <p class="muted">deleted</p>
      ) : doing === 'edit' ? (
        <CommentForm label="Change" text={body} off={off} onSay={change} focus />
      ) : (
        <Markdown text={body} repository={repository} ref_={pull.source_branch} path="" noHtml />
      )}
      {doing === 'delete' && (
        <Confirm
          title="Delete the comment"
          action="Delete"
          onClose={() => setDoing(undefined)}
          onConfirm={async () => {
            setDoing(undefined);
            await comments.run('deletePullRequestComment', { comment: id });
          }}
        >
          <p>Its text is lost; replies to it stay.</p>
        </Confirm>
      )}
    </div>
  );
}
