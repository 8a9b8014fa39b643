/** Operations on the comments of pull requests. Times are RFC 3339. */
import {
  after,
  amount,
  empty,
  flag,
  integer,
  json,
  listOf,
  may,
  operation,
  optional,
  pageRequest,
  path,
  presentPage,
  pullRequestId,
  record,
  repositoryArn,
  repositoryId,
  text,
} from '@srv/lib-api';
import { authorOf } from './author.js';
import type { Out } from '@srv/lib-api';
import type { Comment } from '../contract.js';

const commentId = text({
  pattern: /^[0-9a-v]{20}$/,
  problem: 'comment id: invalid value: validation error; 20 characters 0-9 and a-v',
});

const comment = record({
  id: text(),
  author_id: text(),
  author: text(),
  body: text(),
  parent_id: optional(text()),
  creation_date: text(),
  updated_date: text(),
  deleted: flag(),
  resolved: flag(),
  resolved_by_id: optional(text()),
  resolved_by: optional(text()),
  path: optional(text()),
  line: optional(integer()),
});

const ofPull = { repository: repositoryId, pull_request: pullRequestId };
const ofComment = { ...ofPull, comment: commentId };
const base = '/repositories/{repository}/pulls/{pull_request}';
const mayRead = (repository: string) => may('pr:ReadPullRequest', repositoryArn(repository));
const mayWrite = (repository: string) => may('pr:WritePullRequest', repositoryArn(repository));

export const commentOperations = {
  listPullRequestComments: operation({
    operationId: 'listPullRequestComments',
    method: 'GET',
    path: `${base}/comments`,
    tag: 'pulls',
    summary: 'Comments of a pull request, oldest first; deleted ones have no text',
    params: ofPull,
    query: { after, amount },
    status: 200,
    result: json(listOf(comment)),
    failures: [404],
    permission: input => mayRead(input.repository),
    handler: async ({ services }, input) =>
      presentPage(await services.get('pulls').comments.list(input.repository, input.pull_request, pageRequest(input)), present),
  }),

  createPullRequestComment: operation({
    operationId: 'createPullRequestComment',
    method: 'POST',
    path: `${base}/comments`,
    tag: 'pulls',
    summary: 'Comment on a pull request, on an object or a line of it, or reply to a comment',
    params: ofPull,
    body: record({ body: text(), parent_id: optional(commentId), path: optional(path), line: optional(integer({ min: 1 })) }),
    status: 201,
    result: json(record({ id: text() })),
    failures: [403, 404],
    permission: input => mayWrite(input.repository),
    async handler(context, { repository, pull_request, body }) {
      const { id } = await context.services.get('pulls').comments.add(repository, pull_request, {
        author: authorOf(context),
        body: body.body,
        parent: body.parent_id,
        path: body.path,
        line: body.line,
      });
      return { id };
    },
  }),

  getPullRequestComment: operation({
    operationId: 'getPullRequestComment',
    method: 'GET',
    path: `${base}/comments/{comment}`,
    tag: 'pulls',
    summary: 'One comment of a pull request',
    params: ofComment,
    status: 200,
    result: json(comment),
    failures: [404],
    permission: input => mayRead(input.repository),
    handler: async ({ services }, input) =>
      present(await services.get('pulls').comments.get(input.repository, input.pull_request, input.comment)),
  }),

  updatePullRequestComment: operation({
    operationId: 'updatePullRequestComment',
    method: 'PATCH',
    path: `${base}/comments/{comment}`,
    tag: 'pulls',
    summary: 'Change the text of an own comment, or resolve or reopen a thread',
    params: ofComment,
    body: record({ body: optional(text()), resolved: optional(flag()) }),
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: input => mayWrite(input.repository),
    handler: (context, { repository, pull_request, comment: id, body }) =>
      context.services.get('pulls').comments.update(repository, pull_request, id, {
        by: authorOf(context),
        body: body.body,
        resolved: body.resolved,
      }),
  }),

  deletePullRequestComment: operation({
    operationId: 'deletePullRequestComment',
    method: 'DELETE',
    path: `${base}/comments/{comment}`,
    tag: 'pulls',
    summary: 'Delete an own comment; of others, for those who set the rules of branches',
    params: ofComment,
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: input => mayWrite(input.repository),
    async handler(context, { repository, pull_request, comment: id }) {
      const { comments } = context.services.get('pulls');
      const { author } = await comments.get(repository, pull_request, id);
      const moderates =
        author.username !== context.user.username &&
        (await context.decide(may('branches:SetBranchProtectionRules', repositoryArn(repository)))).allowed;
      await comments.remove(repository, pull_request, id, authorOf(context), moderates);
    },
  }),

  pullRequestCommentWriteAllowed: operation({
    operationId: 'pullRequestCommentWriteAllowed',
    method: 'GET',
    path: `${base}/write_allowed`,
    tag: 'pulls',
    summary: 'Whether the caller may comment',
    params: ofPull,
    status: 204,
    result: empty,
    failures: [404],
    permission: input => mayWrite(input.repository),
    async handler({ services }, input) {
      await services.get('pulls').get(input.repository, input.pull_request);
    },
  }),
};

function present({
  id,
  author,
  body,
  parent,
  createdAt,
  updatedAt,
  deleted,
  resolvedBy,
  path: object,
  line,
}: Comment): Out<typeof comment> {
  return {
    id,
    author_id: author.username,
    author: author.committer,
    body,
    creation_date: createdAt.toISOString(),
    updated_date: updatedAt.toISOString(),
    deleted,
    resolved: resolvedBy !== undefined,
    parent_id: parent,
    resolved_by_id: resolvedBy?.username,
    resolved_by: resolvedBy?.committer,
    path: object,
    line,
  };
}
