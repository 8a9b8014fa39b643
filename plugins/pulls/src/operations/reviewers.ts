/** Operations on the reviewers of pull requests. */
import { empty, json, list, may, operation, pullRequestId, record, repositoryArn, repositoryId, text } from '@srv/lib-api';
import { authorOf } from './author.js';
import type { Out } from '@srv/lib-api';
import type { Reviewer } from '../contract.js';

const reviewer = record({ user_id: text(), requested_by_id: text(), requested_by: text(), creation_date: text() });
const ofPull = { repository: repositoryId, pull_request: pullRequestId };
const ofReviewer = { ...ofPull, reviewer: text({ filled: true, problem: 'reviewer: required value: validation error' }) };
const path = '/repositories/{repository}/pulls/{pull_request}/reviewers';
const mayWrite = (repository: string) => may('pr:WritePullRequest', repositoryArn(repository));

export const reviewerOperations = {
  listPullRequestReviewers: operation({
    operationId: 'listPullRequestReviewers',
    method: 'GET',
    path,
    tag: 'pulls',
    summary: 'Users who are asked to review a pull request; who of them approved is said by getPullRequestApprovals',
    params: ofPull,
    status: 200,
    result: json(record({ results: list(reviewer) })),
    failures: [404],
    permission: input => may('pr:ReadPullRequest', repositoryArn(input.repository)),
    async handler({ services }, input) {
      const reviewers = await services.get('pulls').reviewers.list(input.repository, input.pull_request);
      return { results: reviewers.map(present) };
    },
  }),

  requestPullRequestReview: operation({
    operationId: 'requestPullRequestReview',
    method: 'PUT',
    path: `${path}/{reviewer}`,
    tag: 'pulls',
    summary: 'Ask a user to review an open pull request',
    params: ofReviewer,
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: input => mayWrite(input.repository),
    handler: (context, input) =>
      context.services.get('pulls').reviewers.request(input.repository, input.pull_request, input.reviewer, authorOf(context)),
  }),

  removePullRequestReviewer: operation({
    operationId: 'removePullRequestReviewer',
    method: 'DELETE',
    path: `${path}/{reviewer}`,
    tag: 'pulls',
    summary: 'Ask a user no longer',
    params: ofReviewer,
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: input => mayWrite(input.repository),
    handler: ({ services }, input) => services.get('pulls').reviewers.remove(input.repository, input.pull_request, input.reviewer),
  }),
};

function present({ username, requestedBy, createdAt }: Reviewer): Out<typeof reviewer> {
  return {
    user_id: username,
    requested_by_id: requestedBy.username,
    requested_by: requestedBy.committer,
    creation_date: createdAt.toISOString(),
  };
}
