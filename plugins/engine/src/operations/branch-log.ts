/** Where branches have been, and restoring deleted ones. */
import {
  after,
  amount,
  branchArn,
  branchId,
  json,
  listOf,
  may,
  oneOf,
  operation,
  optional,
  pageRequest,
  paging,
  presentPage,
  record,
  repositoryArn,
  repositoryId,
  text,
  timestamp,
} from '@srv/lib-api';
import { changeOptions } from './change-options.js';
import { presentRef } from './present.js';
import { refObject } from './wire.js';
import type { Out } from '@srv/lib-api';
import type { BranchLogEntry, DeletedBranch } from '../contract.js';

const repository = { repository: repositoryId };
const params = { ...repository, branch: branchId };

const branchMove = record({
  operation: oneOf('commit', 'merge', 'reset', 'create', 'delete', 'undelete'),
  commit_id: text(),
  previous_commit_id: text(),
  time: timestamp,
  user: optional(text()),
  message: optional(text()),
});
const deletedBranch = record({
  id: text(),
  commit_id: text(),
  deleted_at: timestamp,
  deleted_by: optional(text()),
  kept_until: timestamp,
});

export type BranchMove = Out<typeof branchMove>;
export type WireDeletedBranch = Out<typeof deletedBranch>;

function presentMove({ operation, commitId, previous, time, user, message }: BranchLogEntry): BranchMove {
  return {
    operation,
    commit_id: commitId,
    previous_commit_id: previous,
    time: time.toISOString(),
    user: user || undefined,
    message,
  };
}

function presentDeleted({ id, commitId, deletedAt, deletedBy, keptUntil }: DeletedBranch): WireDeletedBranch {
  return {
    id,
    commit_id: commitId,
    deleted_at: deletedAt.toISOString(),
    deleted_by: deletedBy || undefined,
    kept_until: keptUntil.toISOString(),
  };
}

export const branchLogOperations = {
  getBranchLog: operation({
    operationId: 'getBranchLog',
    method: 'GET',
    path: '/repositories/{repository}/branches/{branch}/reflog',
    tag: 'branches',
    summary: 'Where a branch has been, newest first; also of a deleted branch',
    params,
    query: { after, amount },
    status: 200,
    result: json(listOf(branchMove)),
    failures: [404],
    permission: input => may('fs:ReadBranch', branchArn(input.repository, input.branch)),
    handler: async ({ services }, input) =>
      presentPage(await services.get('engine').branchLog(input.repository, input.branch, pageRequest(input)), presentMove),
  }),

  listDeletedBranches: operation({
    operationId: 'listDeletedBranches',
    method: 'GET',
    path: '/repositories/{repository}/deleted_branches',
    tag: 'branches',
    summary: 'Branches that can be restored, by name',
    params: repository,
    query: paging,
    status: 200,
    result: json(listOf(deletedBranch)),
    failures: [404],
    permission: input => may('fs:ListBranches', repositoryArn(input.repository)),
    handler: async ({ services }, input) =>
      presentPage(await services.get('engine').deletedBranches(input.repository, pageRequest(input)), presentDeleted),
  }),

  undeleteBranch: operation({
    operationId: 'undeleteBranch',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/undelete',
    tag: 'branches',
    summary: 'Restore a deleted branch at its last commit, if requested under another name',
    params,
    body: optional(record({ name: optional(branchId) })),
    status: 201,
    result: json(refObject),
    failures: [403, 404, 409, 412],
    permission: input => may('fs:CreateBranch', branchArn(input.repository, input.body?.name ?? input.branch)),
    async handler(context, { repository: id, branch, body }) {
      const name = body?.name;
      const options = changeOptions(context, name === undefined ? {} : { as: name });
      return presentRef(await context.services.get('engine').undeleteBranch(id, branch, options));
    },
  }),
};
