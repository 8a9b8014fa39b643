/** Operations of search. */
import {
  after,
  all,
  amount,
  empty,
  flag,
  givenSeconds,
  json,
  listOf,
  may,
  operation,
  optional,
  pageRequest,
  prefix,
  presentPage,
  record,
  ref,
  reply,
  repositoryArn,
  repositoryId,
  text,
  toSeconds,
  withDefault,
} from '@srv/lib-api';
import { foundObject, journalEntry, prefixUsage, searchSettings, searchStatus } from './wire.js';
import type { Out } from '@srv/lib-api';
import type { FoundObject, JournalEntry, ObjectState, Usage } from '../contract.js';

const repository = { repository: repositoryId };
const params = { repository: repositoryId, ref };
const tag = 'experimental';
const mayList = (input: { readonly repository: string }) => may('fs:ListObjects', repositoryArn(input.repository));
const mayChange = (input: { readonly repository: string }) => may('fs:UpdateRepository', repositoryArn(input.repository));

/** Operations by id. */
export type SearchOperations = typeof searchOperations;

export const searchOperations = {
  searchObjects: operation({
    operationId: 'searchObjects',
    method: 'POST',
    path: '/repositories/{repository}/refs/{ref}/search',
    tag,
    summary: 'Objects by their metadata, in order of paths',
    params,
    body: record({
      where: optional(text()),
      prefix,
      after,
      amount,
      uncommitted: withDefault(flag(), false),
    }),
    status: 200,
    result: json(listOf(foundObject)),
    failures: [400, 404, 503],
    permission: mayList,
    async handler({ services, signal }, { repository, ref, body: { where, uncommitted, ...page } }) {
      const request = { ...pageRequest(page), where, uncommitted, signal };
      return presentPage(await services.get('search').search(repository, ref, request), presentFound);
    },
  }),

  getObjectJournal: operation({
    operationId: 'getObjectJournal',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/journal',
    tag,
    summary: 'Which commits added, changed and removed objects, newest first',
    params,
    query: { prefix, after, amount, since: optional(givenSeconds) },
    status: 200,
    result: json(listOf(journalEntry)),
    failures: [400, 404],
    permission: input => all(mayList(input), may('fs:ListCommits', repositoryArn(input.repository))),
    async handler({ services, signal }, { repository, ref, since, ...page }) {
      const request = { ...pageRequest(page), since: since === undefined ? undefined : new Date(since * 1000), signal };
      return presentPage(await services.get('search').journal(repository, ref, request), presentChange);
    },
  }),

  getPrefixUsage: operation({
    operationId: 'getPrefixUsage',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/usage',
    tag,
    summary: 'Objects and bytes by prefix, with those that no other branch or tag has',
    params,
    query: { prefix, after, amount, delimiter: withDefault(text(), '/') },
    status: 200,
    result: json(listOf(prefixUsage)),
    failures: [400, 404],
    permission: input => all(mayList(input), may('fs:ListBranches', repositoryArn(input.repository))),
    handler: async ({ services, signal }, { repository, ref, delimiter, ...page }) =>
      presentPage(await services.get('search').usage(repository, ref, { ...pageRequest(page), delimiter, signal }), presentUsage),
  }),

  getSearchSettings: operation({
    operationId: 'getSearchSettings',
    method: 'GET',
    path: '/repositories/{repository}/settings/search',
    tag,
    summary: 'Patterns of the branches that are indexed; the ETag header names this state of them',
    params: repository,
    status: 200,
    result: json(searchSettings),
    failures: [404],
    permission: input => may('fs:ReadRepository', repositoryArn(input.repository)),
    async handler({ services }, input) {
      const { branches, etag } = await services.get('search').settings(input.repository);
      return reply({ headers: { ETag: etag }, body: { branches } });
    },
  }),

  setSearchSettings: operation({
    operationId: 'setSearchSettings',
    method: 'PUT',
    path: '/repositories/{repository}/settings/search',
    tag,
    summary: 'Replace the patterns of the branches that are indexed; none removes the index',
    params: repository,
    headers: { 'If-Match': optional(text()) },
    body: searchSettings,
    status: 204,
    result: empty,
    failures: [400, 403, 404, 412],
    permission: mayChange,
    handler: ({ services }, input) => services.get('search').setSettings(input.repository, input.body, input['If-Match']),
  }),

  getSearchStatus: operation({
    operationId: 'getSearchStatus',
    method: 'GET',
    path: '/repositories/{repository}/search',
    tag,
    summary: 'Which branches are indexed',
    params: repository,
    status: 200,
    result: json(searchStatus),
    failures: [404],
    permission: input =>
      all(may('fs:ReadRepository', repositoryArn(input.repository)), may('fs:ListBranches', repositoryArn(input.repository))),
    async handler({ services }, input) {
      const { patterns, branches, waiting } = await services.get('search').status(input.repository);
      const shown = branches.map(({ branch, commitId, isIndexed }) => ({ branch, commit_id: commitId, indexed: isIndexed }));
      return { patterns, branches: shown, waiting_commits: waiting };
    },
  }),

  rebuildSearch: operation({
    operationId: 'rebuildSearch',
    method: 'POST',
    path: '/repositories/{repository}/search/rebuild',
    tag,
    summary: 'Remove the index of a repository and make it again; answers before it is made',
    params: repository,
    status: 202,
    result: empty,
    failures: [400, 404],
    permission: mayChange,
    handler: ({ services }, input) => services.get('search').rebuild(input.repository),
  }),
};

function presentFound(object: FoundObject): Out<typeof foundObject> {
  const { path, commitId, committer, size, lastModified, etag, contentType, metadata } = object;
  return {
    path,
    commit_id: commitId,
    committer,
    size_bytes: size,
    mtime: toSeconds(lastModified),
    checksum: etag,
    content_type: contentType,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
  };
}

function presentChange({ commitId, committer, date, path, operation: kind, before, after: later }: JournalEntry): Out<typeof journalEntry> {
  const states = { before: before && presentState(before), after: later && presentState(later) };
  return { commit_id: commitId, committer, time: toSeconds(date), path, operation: kind, ...states };
}

function presentState({ size, etag }: ObjectState) {
  return { size_bytes: size, checksum: etag };
}

function presentUsage({ path, isPrefix, objects, bytes, uniqueObjects, uniqueBytes }: Usage): Out<typeof prefixUsage> {
  return {
    path,
    path_type: isPrefix ? 'common_prefix' : 'object',
    objects,
    size_bytes: bytes,
    unique_objects: uniqueObjects,
    unique_size_bytes: uniqueBytes,
  };
}

export default searchOperations;

declare module '@srv/lib-api' {
  interface Operations extends SearchOperations {}
}
