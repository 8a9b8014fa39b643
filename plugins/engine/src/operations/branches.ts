/** Branches: listing, creation, and moving them to other states. */

import { SrvError } from '@srv/kernel';
import {
  after,
  all,
  amount,
  branchArn,
  branchId,
  commit,
  delimiter,
  empty,
  flag,
  integer,
  json,
  listOf,
  mapOf,
  may,
  oneOf,
  operation,
  optional,
  pageRequest,
  paging,
  plainText,
  prefix,
  presentCommit,
  presentPage,
  record,
  ref,
  repositoryArn,
  repositoryId,
  text,
  withDefault,
} from '@srv/lib-api';
import { changeOptions } from './change-options.js';
import { presentChange, presentRef } from './present.js';
import { diff, refObject } from './wire.js';
import type { ResetScope } from '../contract.js';

const repository = { repository: repositoryId };
const params = { ...repository, branch: branchId };
const force = withDefault(flag(), false);
const commitOverrides = record({ message: optional(text()), metadata: optional(mapOf(text())) });

export const branchOperations = {
  listBranches: operation({
    operationId: 'listBranches',
    method: 'GET',
    path: '/repositories/{repository}/branches',
    tag: 'branches',
    summary: 'Branches by name',
    params: repository,
    query: { ...paging, show_hidden: withDefault(flag(), false) },
    status: 200,
    result: json(listOf(refObject)),
    failures: [404],
    permission: input => may('fs:ListBranches', repositoryArn(input.repository)),
    handler: async ({ services }, input) =>
      presentPage(
        await services.get('engine').listBranches(input.repository, { ...pageRequest(input), showHidden: input.show_hidden }),
        presentRef,
      ),
  }),

  createBranch: operation({
    operationId: 'createBranch',
    method: 'POST',
    path: '/repositories/{repository}/branches',
    tag: 'branches',
    summary: 'Create a branch; answers its commit id as plain text',
    params: repository,
    body: record({ name: branchId, source: ref, force, hidden: withDefault(flag(), false) }),
    status: 201,
    result: plainText,
    failures: [403, 404, 409, 412],
    permission: input => may('fs:CreateBranch', branchArn(input.repository, input.body.name)),
    handler: async (context, { repository, body: { name, source, force, hidden } }) => {
      const options = changeOptions(context, { force, hidden });
      return (await context.services.get('engine').createBranch(repository, name, source, options)).commitId;
    },
  }),

  getBranch: operation({
    operationId: 'getBranch',
    method: 'GET',
    path: '/repositories/{repository}/branches/{branch}',
    tag: 'branches',
    summary: 'One branch and its commit',
    params,
    status: 200,
    result: json(refObject),
    failures: [404],
    permission: input => may('fs:ReadBranch', branchArn(input.repository, input.branch)),
    handler: async ({ services }, input) => presentRef(await services.get('engine').getBranch(input.repository, input.branch)),
  }),

  deleteBranch: operation({
    operationId: 'deleteBranch',
    method: 'DELETE',
    path: '/repositories/{repository}/branches/{branch}',
    tag: 'branches',
    summary: 'Delete a branch with its uncommitted changes',
    params,
    query: { force },
    status: 204,
    result: empty,
    failures: [403, 404, 412],
    permission: input => may('fs:DeleteBranch', branchArn(input.repository, input.branch)),
    handler: (context, { repository, branch, force }) =>
      context.services.get('engine').deleteBranch(repository, branch, changeOptions(context, { force })),
  }),

  resetBranch: operation({
    operationId: 'resetBranch',
    method: 'PUT',
    path: '/repositories/{repository}/branches/{branch}',
    tag: 'branches',
    summary: 'Discard uncommitted changes: all, of one object, or below a prefix',
    params,
    body: record({ type: oneOf('object', 'common_prefix', 'reset'), path: optional(text()), force }),
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: input => may('fs:RevertBranch', branchArn(input.repository, input.branch)),
    handler: ({ services }, { repository, branch, body }) =>
      services.get('engine').resetBranch(repository, branch, resetScope(body), { force: body.force }),
  }),

  hardResetBranch: operation({
    operationId: 'hardResetBranch',
    method: 'PUT',
    path: '/repositories/{repository}/branches/{branch}/hard_reset',
    tag: 'experimental',
    summary: 'Move a branch without uncommitted changes to another commit',
    params,
    query: { ref, force },
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: input => may('fs:RevertBranch', branchArn(input.repository, input.branch)),
    handler: (context, { repository, branch, ref, force }) =>
      context.services.get('engine').hardResetBranch(repository, branch, ref, changeOptions(context, { force })),
  }),

  revertBranch: operation({
    operationId: 'revertBranch',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/revert',
    tag: 'branches',
    summary: 'Undo the changes of a commit by a new commit',
    params,
    body: record({
      ref,
      parent_number: integer({ min: 0 }),
      commit_overrides: optional(commitOverrides),
      force,
      allow_empty: withDefault(flag(), false),
    }),
    status: 204,
    result: empty,
    failures: [403, 404, 409, 412],
    permission: input => may('fs:RevertBranch', branchArn(input.repository, input.branch)),
    async handler({ services, committer, user, signal }, { repository, branch, body }) {
      await services.get('engine').revert(repository, branch, {
        ref: body.ref,
        parentNumber: body.parent_number,
        committer,
        user: user.username,
        signal,
        allowEmpty: body.allow_empty,
        force: body.force,
        overrides: body.commit_overrides,
      });
    },
  }),

  cherryPick: operation({
    operationId: 'cherryPick',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/cherry-pick',
    tag: 'branches',
    summary: 'Apply the changes of another commit as a new commit',
    params,
    body: record({ ref, parent_number: optional(integer({ min: 0 })), commit_overrides: optional(commitOverrides), force }),
    status: 201,
    result: json(commit),
    failures: [403, 404, 409, 412],
    permission: input =>
      all(may('fs:CreateCommit', branchArn(input.repository, input.branch)), may('fs:ReadCommit', repositoryArn(input.repository))),
    handler: async ({ services, committer, user, signal }, { repository, branch, body }) =>
      presentCommit(
        await services.get('engine').cherryPick(repository, branch, {
          ref: body.ref,
          committer,
          user: user.username,
          signal,
          force: body.force,
          parentNumber: body.parent_number,
          overrides: body.commit_overrides,
        }),
      ),
  }),

  diffBranch: operation({
    operationId: 'diffBranch',
    method: 'GET',
    path: '/repositories/{repository}/branches/{branch}/diff',
    tag: 'branches',
    summary: 'Uncommitted changes of a branch',
    params,
    query: { after, amount, prefix, delimiter, include_right_stats: withDefault(flag(), false) },
    status: 200,
    result: json(listOf(diff)),
    failures: [404],
    permission: input => may('fs:ListObjects', repositoryArn(input.repository)),
    handler: async ({ services }, input) =>
      presentPage(await services.get('engine').diffUncommitted(input.repository, input.branch, pageRequest(input)), item =>
        presentChange(item, input.include_right_stats),
      ),
  }),
};

function resetScope({
  type,
  path,
}: {
  readonly type: 'object' | 'common_prefix' | 'reset';
  readonly path?: string | undefined;
}): ResetScope {
  if (type === 'reset') return { type: 'all' };
  // An empty prefix is that of all objects, but only when it is given.
  if (path === undefined || (type === 'object' && path === ''))
    throw new SrvError('invalid', `argument path: required value: validation error: name the ${type} to reset; the type reset is for all`);
  if (type === 'common_prefix') return { type: 'prefix', prefix: path };
  return { type: 'object', path };
}
