/** Who reviews a pull request, who approved it, and what was said, in threads. */
import { With, isTablePath, shownName, to } from '@srv/lib-page/page';
import { CommentForm } from './comment-form.js';
import { PullApprovals } from './pull-approvals.js';
import { PullReviewers } from './pull-reviewers.js';
import { Thread } from './thread.js';
import { threadsOf } from './use-comments.js';
import type { Comment, PullRequest } from './shapes.js';
import type { Comments } from './use-comments.js';

interface PullConversationProps {
  readonly repository: string;
  readonly pull: PullRequest;
  readonly readOnly: boolean;
  /** Why nothing can be said. */
  readonly off: string | undefined;
  readonly comments: Comments;
}

export function PullConversation({ repository, pull, readOnly, off, comments }: PullConversationProps) {
  return (
    <>
      <PullReviewers repository={repository} pull={pull} off={off} />
      <PullApprovals repository={repository} pull={pull} readOnly={readOnly} />
      <section class="card gap" aria-label="Comments">
        <div class="card-body form">
          <With answer={comments.answer} rows={1}>
            {all => (
              <>
                {threadsOf(all).map(thread => (
                  <Thread key={thread.comment.id} {...thread} repository={repository} pull={pull} comments={comments} off={off}>
                    <About repository={repository} pull={pull} comment={thread.comment} />
                  </Thread>
                ))}
              </>
            )}
          </With>
          <CommentForm label="Comment" off={off} onSay={body => comments.run('createPullRequestComment', { body: { body } })} />
        </div>
      </section>
    </>
  );
}

interface AboutProps {
  readonly repository: string;
  readonly pull: PullRequest;
  readonly comment: Comment;
}

function About({ repository, pull, comment: { path, line } }: AboutProps) {
  if (path === undefined) return null;
  return (
    <p class="mono">
      <a href={to('repositories', repository, 'pulls', pull.id, 'files', { prefix: path.slice(0, path.lastIndexOf('/') + 1) })}>
        {shownName(path)}
        {line === undefined ? '' : `, ${isTablePath(path) ? 'row' : 'line'} ${line}`}
      </a>
    </p>
  );
}
