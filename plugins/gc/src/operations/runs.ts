/** Runs of the built-in collector. They continue after the response; the record of a run shows its progress. */
import {
  empty,
  everything,
  flag,
  integer,
  json,
  list,
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
  taskCreation,
  text,
  timestamp,
  withDefault,
} from '@srv/lib-api';
import type { Out } from '@srv/lib-api';
import type { Run } from '../contract.js';

const params = { repository: repositoryId };
const runParams = { ...params, run: text({ pattern: /^[0-9a-v]{20}$/, problem: 'run: invalid value: validation error; the id of a run' }) };
const quarantineDays = optional(integer({ min: 0, max: 3650 }));
const wireRun = record({
  id: text(),
  phase: oneOf('marking', 'marked', 'sweeping', 'done', 'failed', 'cancelled'),
  started_at: timestamp,
  updated_at: timestamp,
  cutoff: timestamp,
  dry_run: flag(),
  quarantine_days: integer(),
  listed: integer(),
  kept: integer(),
  young: integer(),
  candidates: integer(),
  candidate_bytes: integer(),
  swept: integer(),
  deleted: integer(),
  deleted_bytes: integer(),
  spared: integer(),
  failures: integer(),
  metadata_files: integer(),
  aborted_uploads: integer(),
  old_reports: integer(),
  other_files: integer(),
  other_bytes: integer(),
  error: optional(text()),
});
export type WireRun = Out<typeof wireRun>;

const mayRun = ({ repository }: { readonly repository: string }) => may('retention:RunGarbageCollection', repositoryArn(repository));
const mayLook = ({ repository }: { readonly repository: string }) => may('retention:GetGarbageCollectionRun', repositoryArn(repository));

function present(run: Run): WireRun {
  const { startedAt, updatedAt, cutoff, dryRun, candidateBytes, deletedBytes, quarantineDays: days, ...more } = run;
  const { metadataFiles, abortedUploads, oldReports, otherFiles, otherBytes, ...rest } = more;
  return {
    ...rest,
    started_at: startedAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    cutoff: cutoff.toISOString(),
    dry_run: dryRun,
    quarantine_days: days,
    candidate_bytes: candidateBytes,
    deleted_bytes: deletedBytes,
    metadata_files: metadataFiles,
    aborted_uploads: abortedUploads,
    old_reports: oldReports,
    other_files: otherFiles,
    other_bytes: otherBytes,
  };
}

export const runOperations = {
  startGarbageCollection: operation({
    operationId: 'startGarbageCollection',
    method: 'POST',
    path: '/repositories/{repository}/gc/runs',
    tag: 'experimental',
    summary: 'Collect garbage; answers before it is done',
    params,
    body: record({
      mode: withDefault(oneOf('run', 'mark', 'dry_run'), 'run'),
      quarantine_days: quarantineDays,
      force: withDefault(flag(), false),
    }),
    status: 202,
    result: json(taskCreation),
    failures: [403, 404, 409],
    permission: mayRun,
    handler: async ({ services }, { repository, body: { mode, quarantine_days: days, force } }) => ({
      id: await services.get('gc').start(repository, { mode, force, quarantineDays: days }),
    }),
  }),

  sweepGarbage: operation({
    operationId: 'sweepGarbage',
    method: 'POST',
    path: '/repositories/{repository}/gc/runs/{run}/sweep',
    tag: 'experimental',
    summary: 'Remove what a run has marked, after checking all of it again; answers before it is done',
    params: runParams,
    body: optional(record({ quarantine_days: quarantineDays })),
    status: 202,
    result: json(taskCreation),
    failures: [403, 404, 409],
    permission: mayRun,
    handler: async ({ services }, { repository, run, body }) => {
      const days = body?.quarantine_days;
      return { id: await services.get('gc').sweep(repository, run, days === undefined ? {} : { quarantineDays: days }) };
    },
  }),

  listGarbageCollections: operation({
    operationId: 'listGarbageCollections',
    method: 'GET',
    path: '/repositories/{repository}/gc/runs',
    tag: 'experimental',
    summary: 'Runs, newest first',
    params,
    query: { after: paging.after, amount: paging.amount },
    status: 200,
    result: json(listOf(wireRun)),
    failures: [404],
    permission: mayLook,
    handler: async ({ services }, { repository, ...page }) =>
      presentPage(await services.get('gc').listRuns(repository, pageRequest({ ...page, prefix: undefined })), present),
  }),

  getGarbageCollection: operation({
    operationId: 'getGarbageCollection',
    method: 'GET',
    path: '/repositories/{repository}/gc/runs/{run}',
    tag: 'experimental',
    summary: 'How a run is doing, or what it did',
    params: runParams,
    status: 200,
    result: json(wireRun),
    failures: [404],
    permission: mayLook,
    handler: async ({ services }, { repository, run }) => present(await services.get('gc').getRun(repository, run)),
  }),

  cancelGarbageCollection: operation({
    operationId: 'cancelGarbageCollection',
    method: 'DELETE',
    path: '/repositories/{repository}/gc/runs/{run}',
    tag: 'experimental',
    summary: 'Stop a run; what it has removed stays removed',
    params: runParams,
    status: 204,
    result: empty,
    failures: [404, 409],
    permission: mayRun,
    handler: ({ services }, { repository, run }) => services.get('gc').cancel(repository, run),
  }),

  listGarbage: operation({
    operationId: 'listGarbage',
    method: 'GET',
    path: '/repositories/{repository}/gc/runs/{run}/garbage',
    tag: 'experimental',
    summary: 'Addresses that a run has marked',
    params: runParams,
    query: { after: paging.after, amount: paging.amount },
    status: 200,
    result: json(listOf(text())),
    failures: [404],
    permission: mayLook,
    handler: async ({ services }, { repository, run, ...page }) =>
      presentPage(await services.get('gc').candidates(repository, run, pageRequest({ ...page, prefix: undefined })), address => address),
  }),

  restoreGarbage: operation({
    operationId: 'restoreGarbage',
    method: 'POST',
    path: '/repositories/{repository}/gc/runs/{run}/restore',
    tag: 'experimental',
    summary: 'Put objects that a run moved to quarantine back to their places',
    params: runParams,
    body: optional(record({ prefix: optional(text()) })),
    status: 200,
    result: json(record({ objects: integer() })),
    failures: [404, 409],
    permission: mayRun,
    handler: async ({ services }, { repository, run, body }) => ({
      objects: await services.get('gc').restore(repository, run, body?.prefix ?? ''),
    }),
  }),

  explainGarbage: operation({
    operationId: 'explainGarbage',
    method: 'GET',
    path: '/repositories/{repository}/gc/explain',
    tag: 'experimental',
    summary: 'What keeps an object, or which run collected it',
    params,
    query: { address: text({ filled: true, problem: 'address: required value: validation error; of an object of the repository' }) },
    status: 200,
    result: json(
      record({
        address: text(),
        exists: flag(),
        size_bytes: optional(integer()),
        last_modified: optional(timestamp),
        kept_by: list(text()),
        collected_by: optional(text()),
      }),
    ),
    failures: [404],
    permission: mayLook,
    async handler({ services }, { repository, address }) {
      const found = await services.get('gc').explain(repository, address);
      return {
        address: found.address,
        exists: found.exists,
        size_bytes: found.size,
        last_modified: found.lastModified?.toISOString(),
        kept_by: found.keptBy,
        collected_by: found.collectedBy,
      };
    },
  }),

  purgeNamespace: operation({
    operationId: 'purgeNamespace',
    method: 'POST',
    path: '/gc/purge',
    tag: 'experimental',
    summary: 'Remove everything that a deleted repository has left in its storage namespace',
    body: record({ storage_namespace: text({ filled: true }), storage_id: optional(text()) }),
    status: 200,
    result: json(record({ objects: integer() })),
    failures: [409],
    permission: () => may('retention:PurgeNamespace', everything),
    handler: async ({ services }, { body }) => ({ objects: await services.get('gc').purge(body.storage_namespace, body.storage_id) }),
  }),
};
