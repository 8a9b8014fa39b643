/** Pull requests. */
import { SrvError, isSrvError } from '@srv/kernel';
import { empty, json, operation } from '../operation.js';
import { all, branchArn, may, repositoryArn } from '../permissions.js';
import { presentPullRequest } from '../present.js';
import { reply } from '../reply.js';
import { oneOf, optional, record, text, withDefault } from '../schema/field.js';
import { branchId, pullRequestId, repositoryId } from '../schema/names.js';
import { listOf, pageRequest, paging, presentPage } from '../schema/paging.js';
import { mergeResult, pullRequest } from '../schema/wire.js';
import type { PullRequestStatus } from '@srv/versioning/contract';

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
    handler: async ({ catalog }, input) =>
      presentPage(await catalog.listPullRequests(input.repository, { ...pageRequest(input), status: input.status }), presentPullRequest),
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
    async handler({ catalog, committer }, { repository, body }) {
      const { id } = await catalog.createPullRequest(repository, {
        title: body.title,
        source: body.source_branch,
        destination: body.destination_branch,
        author: committer,
        ...(body.description === undefined ? {} : { description: body.description }),
      });
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
    handler: async ({ catalog }, input) => presentPullRequest(await catalog.getPullRequest(input.repository, input.pull_request)),
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
    handler: ({ catalog }, { repository, pull_request, body }) =>
      catalog.updatePullRequest(repository, pull_request, {
        ...(body.title === undefined ? {} : { title: body.title }),
        ...(body.description === undefined ? {} : { description: body.description }),
        ...(body.status === undefined ? {} : { status: parseStatus(body.status) }),
      }),
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
    async permission({ repository, pull_request }, { catalog }) {
      const { destination } = await catalog.getPullRequest(repository, pull_request);
      return all(may('fs:CreateCommit', branchArn(repository, destination)), may('pr:WritePullRequest', repositoryArn(repository)));
    },
    async handler({ catalog, committer, signal }, { repository, pull_request }) {
      try {
        return { reference: await catalog.mergePullRequest(repository, pull_request, { committer, signal }) };
      } catch (error) {
        if (isSrvError(error, 'conflict')) return reply({ status: 409, body: { message: 'conflict found' } });
        throw error;
      }
    },
  }),
};
