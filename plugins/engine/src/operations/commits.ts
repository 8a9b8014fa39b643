/** Commits and the log. */

import { SrvError, isSrvError } from '@srv/kernel';
import {
  after,
  all,
  amount,
  branchArn,
  branchId,
  commit,
  commitBody,
  empty,
  flag,
  givenSeconds,
  integer,
  json,
  list,
  listOf,
  mapOf,
  may,
  operation,
  optional,
  pageRequest,
  presentCommit,
  presentPage,
  record,
  ref,
  repeated,
  repositoryArn,
  repositoryId,
  text,
  time,
  withDefault,
} from '@srv/lib-api';
import type { OperationContext, Out } from '@srv/lib-api';
import type { CommitRequest } from '../contract.js';

const params = { repository: repositoryId, ref };
const given = (values: readonly string[] | undefined): readonly string[] => (values ?? []).filter(value => value !== '');

/** Paths of one request. */
const mostPaths = 200;

const lastCommit = record({ path: text(), commit });

/** Stored as a signed 32-bit number. */
const maxGeneration = 2 ** 31 - 1;

/** The body as the engine takes it. */
export function commitRequest(
  body: Out<typeof commitBody>,
  { committer, user }: Pick<OperationContext, 'committer' | 'user'>,
  sourceMetarange?: string,
): CommitRequest {
  return {
    committer,
    user: user.username,
    message: body.message,
    allowEmpty: body.allow_empty,
    force: body.force,
    metadata: body.metadata,
    date: body.date === undefined ? undefined : new Date(body.date * 1000),
    sourceMetarange: sourceMetarange || undefined,
  };
}

export const commitOperations = {
  commit: operation({
    operationId: 'commit',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/commits',
    tag: 'commits',
    summary: 'Commit the uncommitted changes of a branch',
    params: { repository: repositoryId, branch: branchId },
    query: { source_metarange: optional(text()) },
    body: commitBody,
    status: 201,
    result: json(commit),
    failures: [403, 404, 409, 412],
    permission: input => may('fs:CreateCommit', branchArn(input.repository, input.branch)),
    handler: async (context, { repository, branch, source_metarange, body }) => {
      const request = { ...commitRequest(body, context, source_metarange), signal: context.signal };
      return presentCommit(await context.services.get('engine').commit(repository, branch, request));
    },
  }),

  CreateCommitRecord: operation({
    operationId: 'CreateCommitRecord',
    method: 'POST',
    path: '/repositories/{repository}/commits',
    tag: 'internal',
    summary: 'Store a commit record unchanged; no branch moves to it',
    params: { repository: repositoryId },
    body: record({
      commit_id: text(),
      version: integer({ min: 0, max: 1 }),
      committer: text(),
      message: text(),
      metarange_id: text(),
      creation_date: givenSeconds,
      parents: list(text()),
      metadata: optional(mapOf(text())),
      generation: integer({ min: 0, max: maxGeneration }),
      force: withDefault(flag(), false),
    }),
    status: 204,
    result: empty,
    failures: [403, 404, 409],
    permission: input => may('fs:CreateCommit', repositoryArn(input.repository)),
    handler: ({ services }, { repository, body }) =>
      services.get('engine').createCommitRecord(
        repository,
        {
          id: body.commit_id,
          committer: body.committer,
          message: body.message,
          creationDate: new Date(body.creation_date * 1000),
          metarangeId: body.metarange_id,
          metadata: body.metadata ?? {},
          parents: body.parents,
          version: body.version,
          generation: body.generation,
        },
        { force: body.force },
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
    async handler({ services }, { repository, commitId }) {
      const engine = services.get('engine');
      await engine.getRepository(repository);
      try {
        return presentCommit(await engine.getCommit(repository, commitId));
      } catch (error) {
        // The text clients compare, whatever kind of expression it was.
        if (isSrvError(error, 'not_found'))
          throw new SrvError('not_found', 'commit not found', { cause: error, details: { ref: commitId } });
        throw error;
      }
    },
  }),

  logCommits: operation({
    operationId: 'logCommits',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/commits',
    tag: 'refs',
    summary: 'Commits reachable from a ref, newest first',
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
      exclude: optional(ref),
    },
    status: 200,
    result: json(listOf(commit)),
    failures: [404],
    permission: ({ repository, ref: of, exclude }) =>
      all(...[of, ...(exclude === undefined ? [] : [exclude])].map(each => may('fs:ReadBranch', branchArn(repository, each)))),
    async handler({ services }, input) {
      const found = await services.get('engine').log(input.repository, input.ref, {
        ...pageRequest({ after: input.after, amount: input.amount }),
        limit: input.limit,
        firstParent: input.first_parent,
        objects: given(input.objects),
        prefixes: given(input.prefixes),
        since: input.since,
        stopAt: input.stop_at || undefined,
        exclude: input.exclude || undefined,
      });
      return presentPage(found, presentCommit);
    },
  }),

  findLastCommits: operation({
    operationId: 'findLastCommits',
    method: 'POST',
    path: '/repositories/{repository}/refs/{ref}/last_commits',
    tag: 'refs',
    summary: 'Which commit changed each of some objects and folders last, among the newest 1,000 commits',
    params,
    body: record({ paths: list(text({ filled: true, maxBytes: 1024 }), { min: 1 }) }),
    status: 200,
    result: json(record({ results: list(lastCommit), looked_at: integer({ min: 0 }), whole: flag() })),
    failures: [404],
    permission: ({ repository, ref: of }) => may('fs:ReadBranch', branchArn(repository, of)),
    async handler({ services, signal }, { repository, ref: of, body: { paths } }) {
      if (paths.length > mostPaths)
        throw new SrvError('invalid', `paths: ${paths.length} are too many; ask for up to ${mostPaths} at once`);
      const { commits, looked, isWhole } = await services.get('engine').lastCommits(repository, of, { paths, signal });
      const results = [...commits].map(([path, found]) => ({ path, commit: presentCommit(found) }));
      return { results, looked_at: looked, whole: isWhole };
    },
  }),
};
