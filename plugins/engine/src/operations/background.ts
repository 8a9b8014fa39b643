/** Commits and merges that run in the background. */
import {
  branchArn,
  branchId,
  commit,
  commitBody,
  json,
  may,
  mergeResult,
  operation,
  optional,
  presentCommit,
  record,
  repositoryId,
  taskCreation,
  taskFields,
  text,
} from '@srv/lib-api';
import { commitRequest } from './commits.js';
import { presentTask } from './present.js';
import { mergeBody, mergeParams, mergeRequest } from './refs.js';

const params = { repository: repositoryId, branch: branchId };
/** What the submission answered. */
const id = text();

export const backgroundOperations = {
  commitAsync: operation({
    operationId: 'commitAsync',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/commits/async',
    tag: 'experimental',
    summary: 'Commit the uncommitted changes of a branch; answers before it is done',
    params,
    query: { source_metarange: optional(text()) },
    body: commitBody,
    status: 202,
    result: json(taskCreation),
    failures: [403, 404],
    permission: input => may('fs:CreateCommit', branchArn(input.repository, input.branch)),
    handler: async (context, { repository, branch, source_metarange, body }) => ({
      id: await context.services.get('engine').submitCommit(repository, branch, commitRequest(body, context, source_metarange)),
    }),
  }),

  commitAsyncStatus: operation({
    operationId: 'commitAsyncStatus',
    method: 'GET',
    path: '/repositories/{repository}/branches/{branch}/commits/async/{id}/status',
    tag: 'experimental',
    summary: 'Status of a commit in the background',
    params: { ...params, id },
    status: 200,
    result: json(record({ ...taskFields, result: optional(commit) })),
    failures: [404],
    permission: input => may('fs:ReadBranch', branchArn(input.repository, input.branch)),
    async handler({ services }, input) {
      const task = await services.get('engine').commitStatus(input.repository, input.id);
      return { ...presentTask(task), result: task.commit && presentCommit(task.commit) };
    },
  }),

  mergeIntoBranchAsync: operation({
    operationId: 'mergeIntoBranchAsync',
    method: 'POST',
    path: '/repositories/{repository}/refs/{sourceRef}/merge/{destinationBranch}/async',
    tag: 'experimental',
    summary: 'Merge a ref into a branch; answers before it is done',
    params: mergeParams,
    body: mergeBody,
    status: 202,
    result: json(taskCreation),
    failures: [403, 404],
    permission: input => may('fs:CreateCommit', branchArn(input.repository, input.destinationBranch)),
    handler: async (context, { repository, sourceRef, destinationBranch, body }) => ({
      id: await context.services.get('engine').submitMerge(repository, sourceRef, destinationBranch, mergeRequest(body, context)),
    }),
  }),

  mergeIntoBranchAsyncStatus: operation({
    operationId: 'mergeIntoBranchAsyncStatus',
    method: 'GET',
    path: '/repositories/{repository}/refs/{sourceRef}/merge/{destinationBranch}/async/{id}/status',
    tag: 'experimental',
    summary: 'Status of a merge in the background',
    params: { ...mergeParams, id },
    status: 200,
    result: json(record({ ...taskFields, result: optional(mergeResult) })),
    failures: [404],
    permission: input => may('fs:ReadBranch', branchArn(input.repository, input.destinationBranch)),
    async handler({ services }, input) {
      const task = await services.get('engine').mergeStatus(input.repository, input.id);
      return { ...presentTask(task), result: task.reference === undefined ? undefined : { reference: task.reference } };
    },
  }),
};
