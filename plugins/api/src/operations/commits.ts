/** Commits and the log. */
import { json, operation } from '../operation.js';
import { branchArn, may, repositoryArn } from '../permissions.js';
import { presentCommit } from '../present.js';
import { flag, integer, optional, record, repeated, text, time, withDefault } from '../schema/field.js';
import { branchId, ref, repositoryId } from '../schema/names.js';
import { after, amount, listOf, pageRequest, presentPage } from '../schema/paging.js';
import { commit, metadata } from '../schema/wire.js';

const params = { repository: repositoryId, ref };
const given = (values: readonly string[] | undefined): readonly string[] => (values ?? []).filter(value => value !== '');

export const commitOperations = {
  commit: operation({
    operationId: 'commit',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/commits',
    tag: 'commits',
    summary: 'Commit the uncommitted changes of a branch',
    params: { repository: repositoryId, branch: branchId },
    query: { source_metarange: optional(text()) },
    body: record({
      message: text(),
      metadata: optional(metadata),
      date: optional(integer({ min: 0 })),
      allow_empty: withDefault(flag(), false),
      force: withDefault(flag(), false),
    }),
    status: 201,
    result: json(commit),
    failures: [403, 404, 409, 412],
    permission: input => may('fs:CreateCommit', branchArn(input.repository, input.branch)),
    handler: async ({ catalog, committer, signal }, { repository, branch, source_metarange, body }) =>
      presentCommit(
        await catalog.commit(repository, branch, {
          committer,
          message: body.message,
          allowEmpty: body.allow_empty,
          force: body.force,
          signal,
          ...(body.metadata ? { metadata: body.metadata } : {}),
          ...(body.date === undefined ? {} : { date: new Date(body.date * 1000) }),
          ...(source_metarange ? { sourceMetarange: source_metarange } : {}),
        }),
      ),
  }),

  getCommit: operation({
    operationId: 'getCommit',
    method: 'GET',
    path: '/repositories/{repository}/commits/{commitId}',
    tag: 'commits',
    summary: 'One commit, by id or any expression that names it',
    params: { repository: repositoryId, commitId: ref },
    status: 200,
    result: json(commit),
    failures: [404],
    permission: input => may('fs:ReadCommit', repositoryArn(input.repository)),
    handler: async ({ catalog }, input) => presentCommit(await catalog.getCommit(input.repository, input.commitId)),
  }),

  logCommits: operation({
    operationId: 'logCommits',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/commits',
    tag: 'refs',
    summary: 'Commits from a ref backwards, newest first',
    params,
    query: {
      after,
      amount,
      objects: repeated(text()),
      prefixes: repeated(text()),
      limit: withDefault(flag(), false),
      first_parent: withDefault(flag(), false),
      since: optional(time()),
      stop_at: optional(text()),
    },
    status: 200,
    result: json(listOf(commit)),
    failures: [404],
    permission: input => may('fs:ReadBranch', branchArn(input.repository, input.ref)),
    async handler({ catalog }, input) {
      const found = await catalog.log(input.repository, input.ref, {
        ...pageRequest({ after: input.after, amount: input.amount }),
        limit: input.limit,
        firstParent: input.first_parent,
        objects: given(input.objects),
        prefixes: given(input.prefixes),
        ...(input.since ? { since: input.since } : {}),
        ...(input.stop_at ? { stopAt: input.stop_at } : {}),
      });
      return presentPage(found, presentCommit);
    },
  }),
};
