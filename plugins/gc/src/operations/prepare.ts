/** What foreign collectors call. Paths and the spelling `uncommited` are a contract. */

import { linkValidity } from '@srv/engine/operations/address';
import { integer, json, may, operation, optional, record, repositoryArn, repositoryId, taskCreation, taskFields, text } from '@srv/lib-api';
import type { OperationContext } from '@srv/lib-api';
import type { GarbageCollection, PreparedCommits } from '../contract.js';

const params = { repository: repositoryId };
const prepared = record({
  run_id: text(),
  gc_commits_location: text(),
  gc_addresses_location: text(),
  gc_commits_presigned_url: optional(text()),
});
const mayPrepareCommits = ({ repository }: { readonly repository: string }) =>
  may('retention:PrepareGarbageCollectionCommits', repositoryArn(repository));

const present = ({ runId, commitsLocation, addressesLocation, commitsUrl }: PreparedCommits) => ({
  run_id: runId,
  gc_commits_location: commitsLocation,
  gc_addresses_location: addressesLocation,
  gc_commits_presigned_url: commitsUrl,
});

/** The service, for a collector that may have lists. */
function preparing({ services, headers }: Pick<OperationContext, 'services' | 'headers'>): GarbageCollection {
  const gc = services.get('gc');
  const name = headers['x-lakefs-client'];
  gc.checkClient(Array.isArray(name) ? name[0] : name);
  return gc;
}

export const prepareOperations = {
  prepareGarbageCollectionCommits: operation({
    operationId: 'prepareGarbageCollectionCommits',
    method: 'POST',
    path: '/repositories/{repository}/gc/prepare_commits',
    tag: 'internal',
    summary: 'Write the list of commits whose objects stay',
    params,
    status: 201,
    result: json(prepared),
    failures: [403, 404],
    permission: mayPrepareCommits,
    handler: async (context, input) => present(await preparing(context).prepareCommits(input.repository)),
  }),

  prepareGarbageCollectionCommitsAsync: operation({
    operationId: 'prepareGarbageCollectionCommitsAsync',
    method: 'POST',
    path: '/repositories/{repository}/gc/prepare_commits/async',
    tag: 'internal',
    summary: 'Write the list of commits whose objects stay; answers before it is done',
    params,
    status: 202,
    result: json(taskCreation),
    failures: [403, 404],
    permission: mayPrepareCommits,
    handler: async (context, input) => ({ id: await preparing(context).submitPrepareCommits(input.repository) }),
  }),

  prepareGarbageCollectionCommitsStatus: operation({
    operationId: 'prepareGarbageCollectionCommitsStatus',
    method: 'GET',
    path: '/repositories/{repository}/gc/prepare_commits/status',
    tag: 'internal',
    summary: 'How the list of commits is doing',
    params,
    query: { id: text({ filled: true, problem: 'id: required value: validation error; the id that the submission answered' }) },
    status: 200,
    result: json(record({ ...taskFields, result: optional(prepared) })),
    failures: [404],
    permission: mayPrepareCommits,
    async handler({ services }, input) {
      const { id, done, updatedAt, error, result } = await services.get('gc').prepareCommitsStatus(input.repository, input.id);
      return {
        task_id: id,
        completed: done,
        update_time: updatedAt.toISOString(),
        error: error === undefined ? undefined : { message: error },
        result: result && present(result),
      };
    },
  }),

  prepareGarbageCollectionUncommitted: operation({
    operationId: 'prepareGarbageCollectionUncommitted',
    method: 'POST',
    path: '/repositories/{repository}/gc/prepare_uncommited',
    tag: 'internal',
    summary: 'Write the addresses of uncommitted objects, page by page',
    params,
    body: optional(record({ continuation_token: optional(text()) })),
    status: 201,
    result: json(record({ run_id: text(), gc_uncommitted_location: text(), continuation_token: optional(text()) })),
    failures: [403, 404],
    permission: ({ repository }) => may('retention:PrepareGarbageCollectionUncommitted', repositoryArn(repository)),
    async handler(context, { repository, body }) {
      const { runId, location, continuationToken } = await preparing(context).prepareUncommitted(repository, body?.continuation_token);
      return {
        run_id: runId,
        gc_uncommitted_location: location,
        continuation_token: continuationToken,
      };
    },
  }),

  getGarbageCollectionConfig: operation({
    operationId: 'getGarbageCollectionConfig',
    method: 'GET',
    path: '/config/garbage-collection',
    tag: 'internal',
    summary: 'How long a physical address handed out stays usable',
    status: 200,
    result: json(record({ grace_period: optional(integer()) })),
    handler: () => ({ grace_period: linkValidity / 1000 }),
  }),
};
