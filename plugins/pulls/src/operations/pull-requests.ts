/** Operations on pull requests. */

import { SrvError, isSrvError } from '@srv/kernel';
import {
  all,
  branchArn,
  branchId,
  empty,
  json,
  listOf,
  may,
  mergeResult,
  oneOf,
  operation,
  optional,
  pageRequest,
  paging,
  presentPage,
  pullRequestId,
  record,
  reply,
  repositoryArn,
  repositoryId,
  text,
  withDefault,
} from '@srv/lib-api';
import { authorOf } from './author.js';
import type { Out } from '@srv/lib-api';
import type { PullRequest, PullRequestStatus } from '../contract.js';

/** Times are RFC 3339 here, unlike everywhere else. */
const pullRequest = record({
  id: text(),
  creation_date: text(),
  author: text(),
  source_branch: text(),
  destination_branch: text(),
  status: oneOf('open', 'closed', 'merged'),
  title: text(),
  description: text(),
  merged_commit_id: optional(text()),
  closed_date: optional(text()),
});

const repository = { repository: repositoryId };
const params = { ...repository, pull_request: pullRequestId };
const statuses: readonly PullRequestStatus[] = ['open', 'closed', 'merged'];

function parseStatus(text: string): PullRequestStatus {
  const found = statuses.find(status => status === text.toLowerCase());
  if (!found)
    throw new SrvError(
      'invalid',
      `invalid pull request status: validation error; ${JSON.stringify(text)} must be one of ${statuses.join(', ')}`,
    );
  return found;
}

export const pullOperations = {
  listPullRequests: operation({
    operationId: 'listPullRequests',
    method: 'GET',
    path: '/repositories/{repository}/pulls',
    tag: 'pulls',
    summary: 'Pull requests; `closed` means merged ones too',
    params: repository,
    query: { ...paging, status: withDefault(oneOf('open', 'closed', 'all'), 'all') },
    status: 200,
    result: json(listOf(pullRequest)),
    failures: [404],
    permission: input => may('pr:ListPullRequests', repositoryArn(input.repository)),
    handler: async ({ services }, input) =>
      presentPage(await services.get('pulls').list(input.repository, { ...pageRequest(input), status: input.status }), presentPullRequest),
  }),

  createPullRequest: operation({
    operationId: 'createPullRequest',
    method: 'POST',
    path: '/repositories/{repository}/pulls',
    tag: 'pulls',
    summary: 'Propose to merge one branch into another',
    params: repository,
    body: record({ title: text(), description: optional(text()), source_branch: branchId, destination_branch: branchId }),
    status: 201,
    result: json(record({ id: text() })),
    failures: [403, 404, 409],
    permission: input => may('pr:WritePullRequest', repositoryArn(input.repository)),
    async handler(context, { repository, body }) {
      const facts = {
        title: body.title,
        source: body.source_branch,
        destination: body.destination_branch,
        author: context.committer,
        description: body.description,
      };
      const { id } = await context.services.get('pulls').create(repository, facts, authorOf(context));
      return { id };
    },
  }),

  getPullRequest: operation({
    operationId: 'getPullRequest',
    method: 'GET',
    path: '/repositories/{repository}/pulls/{pull_request}',
    tag: 'pulls',
    summary: 'One pull request',
    params,
    status: 200,
    result: json(pullRequest),
    failures: [404],
    permission: input => may('pr:ReadPullRequest', repositoryArn(input.repository)),
    handler: async ({ services }, input) => presentPullRequest(await services.get('pulls').get(input.repository, input.pull_request)),
  }),

  updatePullRequest: operation({
    operationId: 'updatePullRequest',
    method: 'PATCH',
    path: '/repositories/{repository}/pulls/{pull_request}',
    tag: 'pulls',
    summary: 'Change title, description or status',
    params,
    body: record({ title: optional(text()), description: optional(text()), status: optional(text()) }),
    // Documented as 200 elsewhere; clients were written against 204.
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: input => may('pr:WritePullRequest', repositoryArn(input.repository)),
    handler(context, { repository, pull_request, body }) {
      const change = {
        title: body.title,
        description: body.description,
        status: body.status === undefined ? undefined : parseStatus(body.status),
      };
      return context.services.get('pulls').update(repository, pull_request, change, authorOf(context));
    },
  }),

  mergePullRequest: operation({
    operationId: 'mergePullRequest',
    method: 'PUT',
    path: '/repositories/{repository}/pulls/{pull_request}/merge',
    tag: 'pulls',
    summary: 'Merge the branches of an open pull request',
    params,
    status: 200,
    result: json(mergeResult),
    failures: [403, 404, 409, 412],
    // The destination decides the permission, so the pull request is read first.
    async permission({ repository, pull_request }, { services }) {
      const { destination } = await services.get('pulls').get(repository, pull_request);
      return all(may('fs:CreateCommit', branchArn(repository, destination)), may('pr:WritePullRequest', repositoryArn(repository)));
    },
    async handler({ services, committer, user, signal }, { repository, pull_request }) {
      const request = { committer, user: user.username, signal };
      try {
        return { reference: await services.get('pulls').merge(repository, pull_request, request) };
      } catch (error) {
        if (isSrvError(error, 'conflict')) return reply({ status: 409, body: { message: error.message } });
        throw error;
      }
    },
  }),
};

function presentPullRequest(pull: PullRequest): Out<typeof pullRequest> {
  return {
    id: pull.id,
    creation_date: pull.createdAt.toISOString(),
    author: pull.author,
    source_branch: pull.source,
    destination_branch: pull.destination,
    status: pull.status,
    title: pull.title,
    description: pull.description,
    merged_commit_id: pull.commitId || undefined,
    closed_date: pull.closedAt?.toISOString(),
  };
}
