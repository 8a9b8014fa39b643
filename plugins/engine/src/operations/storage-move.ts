/** Moving repositories to other storage namespaces. */
import { SrvError } from '@srv/kernel';
import {
  all,
  flag,
  integer,
  json,
  may,
  namespaceArn,
  oneOf,
  operation,
  optional,
  record,
  repositoryArn,
  repositoryId,
  text,
  timestamp,
} from '@srv/lib-api';
import { namespaceOf, storeOf, withSlash } from '@srv/lib-stores/block';
import { checkStorageId } from '../objects/namespace-check.js';
import { checkRegion } from './objects/region.js';
import { checkNamespace } from './repositories.js';
import type { OperationContext, Out } from '@srv/lib-api';
import type { BlockStore } from '@srv/lib-stores/block';
import type { StorageMove, StoragePlace } from '../contract.js';

const params = { repository: repositoryId };
const place = record({ storage_id: text(), storage_namespace: text() });
const storageMove = record({
  id: text(),
  from: place,
  to: place,
  phase: oneOf('copying', 'switching', 'finishing', 'done', 'aborting', 'aborted'),
  running: flag(),
  started_at: timestamp,
  updated_at: timestamp,
  compared_objects: integer(),
  copied_objects: integer(),
  copied_bytes: integer(),
  error: optional(text()),
});

export type WireStorageMove = Out<typeof storageMove>;

const mayMove = (input: { readonly repository: string }) =>
  all(may('fs:CreateRepository', repositoryArn(input.repository)), may('fs:UpdateRepository', repositoryArn(input.repository)));

function presentMove({ id, from, to, phase, error, ...move }: StorageMove): WireStorageMove {
  const wire = ({ storageId, storageNamespace }: StoragePlace) => ({ storage_id: storageId, storage_namespace: storageNamespace });
  return {
    id,
    from: wire(from),
    to: wire(to),
    phase,
    running: move.isRunning,
    started_at: move.startedAt.toISOString(),
    updated_at: move.updatedAt.toISOString(),
    compared_objects: move.compared,
    copied_objects: move.copied,
    copied_bytes: move.copiedBytes,
    error: error || undefined,
  };
}

export const storageMoveOperations = {
  startStorageMove: operation({
    operationId: 'startStorageMove',
    method: 'POST',
    path: '/repositories/{repository}/storage_move',
    tag: 'repositories',
    summary: 'Move a repository to another storage namespace, or continue a move that has stopped; answers before it is done',
    params,
    body: record({ storage_id: optional(text()), storage_namespace: optional(text()) }),
    status: 202,
    result: json(storageMove),
    failures: [403, 404, 409],
    permission: mayMove,
    async handler(context, { repository, body }) {
      const { services } = context;
      const to =
        body.storage_id === undefined && body.storage_namespace === undefined ? undefined : await placeOf(context, repository, body);
      return presentMove(await services.get('engine').startStorageMove(repository, to));
    },
  }),

  getStorageMove: operation({
    operationId: 'getStorageMove',
    method: 'GET',
    path: '/repositories/{repository}/storage_move',
    tag: 'repositories',
    summary: 'The last move of a repository to another storage namespace, or the one under way',
    params,
    status: 200,
    result: json(storageMove),
    failures: [404],
    permission: input => may('fs:ReadRepository', repositoryArn(input.repository)),
    handler: async ({ services }, { repository }) => presentMove(await services.get('engine').storageMove(repository)),
  }),

  abortStorageMove: operation({
    operationId: 'abortStorageMove',
    method: 'DELETE',
    path: '/repositories/{repository}/storage_move',
    tag: 'repositories',
    summary: 'Abort the move of a repository to another storage namespace; it stays where it was',
    params,
    status: 200,
    result: json(storageMove),
    failures: [404, 409],
    permission: mayMove,
    handler: async ({ services }, { repository }) => presentMove(await services.get('engine').abortStorageMove(repository)),
  }),
};

/** @throws SrvError `invalid`; `denied` where the caller may not use the namespace. */
async function placeOf(
  { services, decide }: OperationContext,
  repository: string,
  body: { readonly storage_id?: string | undefined; readonly storage_namespace?: string | undefined },
): Promise<StoragePlace> {
  const block = services.get('block');
  const { storageId: present } = await services.get('engine').getRepository(repository);
  const storageId = body.storage_id ?? present;
  checkStorageId(block, storageId);
  const storageNamespace = body.storage_namespace ?? defaultNamespace(block, storageId, repository);
  const store = storeOf(block, namespaceOf({ storageId, storageNamespace }));
  checkNamespace(storageNamespace, store.info);
  if (!services.get('api').allowInterRegionStorage) await checkRegion(storageNamespace, store);
  const { allowed, reason } = await decide(may('fs:AttachStorageNamespace', namespaceArn(storageNamespace)));
  if (!allowed)
    throw new SrvError('denied', reason ?? `insufficient permissions: not allowed to fs:AttachStorageNamespace ${storageNamespace}`);
  return { storageId, storageNamespace };
}

/** Below the configured prefix of the store, if it has one. */
function defaultNamespace(block: BlockStore, storageId: string, repository: string): string {
  const { defaultNamespacePrefix, namespaceExample } = storeOf(block, namespaceOf({ storageId, storageNamespace: '' })).info;
  if (defaultNamespacePrefix !== '') return withSlash(defaultNamespacePrefix) + repository;
  throw new SrvError(
    'invalid',
    `storage_namespace is required: block store ${JSON.stringify(storageId)} has no default_namespace_prefix; name a place such as ${namespaceExample}`,
  );
}
