/** Operations on the approvals of pull requests. */
import {
  empty,
  flag,
  integer,
  json,
  list,
  may,
  operation,
  optional,
  pullRequestId,
  record,
  repositoryArn,
  repositoryId,
  text,
} from '@srv/lib-api';
import { authorOf } from './author.js';
import type { Out } from '@srv/lib-api';
import type { Approval } from '../contract.js';

const approval = record({ user_id: text(), user: text(), commit_id: text(), creation_date: text() });
const params = { repository: repositoryId, pull_request: pullRequestId };
const path = '/repositories/{repository}/pulls/{pull_request}/approvals';
const mayApprove = (repository: string) => may('pr:ApprovePullRequest', repositoryArn(repository));

export const approvalOperations = {
  getPullRequestApprovals: operation({
    operationId: 'getPullRequestApprovals',
    method: 'GET',
    path,
    tag: 'pulls',
    summary: 'Approvals of the head of the source that count, and how many the destination needs',
    params,
    status: 200,
    result: json(record({ required: integer(), approved: flag(), commit_id: text(), results: list(approval) })),
    failures: [404],
    permission: input => may('pr:ReadPullRequest', repositoryArn(input.repository)),
    async handler({ services }, input) {
      const { required, commitId, approvals } = await services.get('pulls').approvals.state(input.repository, input.pull_request);
      return { required, approved: approvals.length >= required, commit_id: commitId, results: approvals.map(present) };
    },
  }),

  approvePullRequest: operation({
    operationId: 'approvePullRequest',
    method: 'POST',
    path,
    tag: 'pulls',
    summary: 'Approve the head of the source; with commit_id, only if it is that commit',
    params,
    body: record({ commit_id: optional(text()) }),
    status: 201,
    result: json(approval),
    failures: [403, 404, 412],
    permission: input => mayApprove(input.repository),
    async handler(context, { repository, pull_request, body }) {
      const { approvals } = context.services.get('pulls');
      const given = {
        by: authorOf(context),
        sourceIp: context.sourceIp,
        commitId: body.commit_id,
      };
      return present(await approvals.approve(repository, pull_request, given));
    },
  }),

  withdrawPullRequestApproval: operation({
    operationId: 'withdrawPullRequestApproval',
    method: 'DELETE',
    path,
    tag: 'pulls',
    summary: 'Take back the own approvals, of every commit',
    params,
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: input => mayApprove(input.repository),
    handler: (context, { repository, pull_request }) =>
      context.services.get('pulls').approvals.withdraw(repository, pull_request, authorOf(context)),
  }),
};

function present({ by, commitId, createdAt }: Approval): Out<typeof approval> {
  return { user_id: by.username, user: by.committer, commit_id: commitId, creation_date: createdAt.toISOString() };
}
