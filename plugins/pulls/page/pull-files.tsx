/** What a pull request changes, with what is said about files, lines and rows. */
import { counted, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { BranchChanges } from './branch-changes.js';
import { CommentForm } from './comment-form.js';
import { mergeBaseOf } from './merge-state.js';
import { Thread } from './thread.js';
import { threadsOf } from './use-comments.js';
import type { Remarks } from '@srv/lib-page/page';
import type { PullRequest } from './shapes.js';
import type { Comments } from './use-comments.js';

interface PullFilesProps {
  readonly repository: string;
  readonly pull: PullRequest;
  readonly off: string | undefined;
  readonly comments: Comments;
  /** Another number: look again. */
  readonly turn: number;
}

export function PullFiles({ repository, pull, off, comments, turn }: PullFilesProps) {
  const { id, status, source_branch: source, destination_branch: destination, merged_commit_id: merged } = pull;
  const remarks = useRemarks({ repository, pull, off, comments });
  const base = useAsync(async signal => (merged ? '' : mergeBaseOf(repository, pull, signal)), [repository, id, merged, turn]);
  return (
    <BranchChanges
      repository={repository}
      base={merged ? `${merged}~1` : destination}
      source={merged || source}
      left={base.state === 'ready' ? base.value : ''}
      name={[repository, id, status, turn]}
      title={count => `${destination}...${source}/ · ${counted(count, 'change')}`}
      remarks={remarks}
    />
  );
}

function useRemarks({ repository, pull, off, comments }: Omit<PullFilesProps, 'turn'>): Remarks {
  const [begun, setBegun] = useState<{ readonly path: string; readonly line: number | undefined }>();
  const threads = threadsOf(comments.all);
  const about = (path: string) => threads.filter(({ comment }) => comment.path === path);
  const say =
    (path: string, line: number | undefined) =>
    async (body: string): Promise<boolean> => {
      const isSaid = await comments.run('createPullRequestComment', { body: { body, path, line } });
      if (isSaid) setBegun(undefined);
      return isSaid;
    };
  return {
    count: path => about(path).reduce((total, { replies }) => total + 1 + replies.length, 0),
    lines: path => {
      const lines = about(path).flatMap(({ comment: { line } }) => (line === undefined ? [] : [line]));
      if (begun?.path === path && begun.line !== undefined) lines.push(begun.line);
      return [...new Set(lines)].sort((a, b) => a - b);
    },
    draw: (path, line) => {
      const here = about(path).filter(({ comment }) => comment.line === line);
      const isBegun = begun?.path === path && begun.line === line;
      return (
        <>
          {here.map(thread => (
            <Thread key={thread.comment.id} {...thread} repository={repository} pull={pull} comments={comments} off={off} />
          ))}
          {line === undefined ? (
            <CommentForm label="Comment on the file" off={off} onSay={say(path, undefined)} />
          ) : (
            isBegun && <CommentForm label="Comment" off={off} onSay={say(path, line)} focus />
          )}
        </>
      );
    },
    onLine: off === undefined ? (path: string, line: number) => setBegun({ path, line }) : undefined,
  };
}
