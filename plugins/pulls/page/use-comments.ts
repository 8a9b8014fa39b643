/** All comments of a pull request, and changes of them. */
import { ask, messageOf, notify, useAsync } from '@srv/lib-page/page';
import { listComments } from './shapes.js';
import type { AsyncData } from '@srv/lib-page/page';
import type { Comment } from './shapes.js';

export interface Comments {
  readonly answer: AsyncData<readonly Comment[]>;
  /** Empty until they are loaded. */
  readonly all: readonly Comment[];
  /** @returns whether it was done; a failure is shown. */
  run(operation: string, input: Readonly<Record<string, unknown>>): Promise<boolean>;
}

export function useComments(repository: string, pull: string): Comments {
  const answer = useAsync(signal => listComments(repository, pull, signal), [repository, pull]);
  return {
    answer,
    all: answer.state === 'ready' ? answer.value : [],
    async run(operation, input) {
      try {
        await ask(operation, { repository, pull_request: pull, ...input });
        return true;
      } catch (error) {
        notify(messageOf(error), 'failed');
        return false;
      } finally {
        answer.reload();
      }
    },
  };
}

export interface ThreadOfComments {
  readonly comment: Comment;
  readonly replies: readonly Comment[];
}

/** Threads in the order in which they began; those of deleted comments that have no reply are left out. */
export function threadsOf(comments: readonly Comment[]): readonly ThreadOfComments[] {
  const replies = new Map<string, Comment[]>();
  for (const comment of comments) {
    if (comment.parent_id === undefined) continue;
    const list = replies.get(comment.parent_id);
    if (list) list.push(comment);
    else replies.set(comment.parent_id, [comment]);
  }
  return comments
    .filter(({ parent_id: parent }) => parent === undefined)
    .map(comment => ({ comment, replies: replies.get(comment.id) ?? [] }))
    .filter(({ comment, replies: some }) => !comment.deleted || some.some(({ deleted }) => !deleted));
}
