/** Repositories and their metadata. */

import { SrvError } from '@srv/kernel';
import {
  all,
  empty,
  flag,
  integer,
  json,
  list,
  listFields,
  may,
  metadata,
  namespaceArn,
  operation,
  optional,
  pageRequest,
  paging,
  presentPage,
  record,
  repositoryArn,
  repositoryId,
  text,
  withDefault,
} from '@srv/lib-api';
import { fitsStorePattern, namespaceOf, storeOf } from '@srv/lib-stores/block';
import { checkStorageId } from '../objects/namespace-check.js';
import { inSlices } from './objects/in-slices.js';
import { checkRegion } from './objects/region.js';
import { createSampleData } from './objects/sample-data.js';
import { presentRepository } from './present.js';
import { repository } from './wire.js';
import type { OperationContext, Out } from '@srv/lib-api';
import type { StorageInfo } from '@srv/lib-stores/block';
import type { Repository } from '../contract.js';

const params = { repository: repositoryId };
const repositoryList = record({ ...listFields(repository), total: optional(integer({ min: 0 })) });
const force = withDefault(flag(), false);

export const repositoryOperations = {
  listRepositories: operation({
    operationId: 'listRepositories',
    method: 'GET',
    path: '/repositories',
    tag: 'repositories',
    summary: 'Repositories the caller may see',
    query: {
      ...paging,
      search: optional(text()),
      include_metadata: withDefault(flag(), false),
      include_total: withDefault(flag(), false),
    },
    status: 200,
    result: json(repositoryList),
    async handler(context, { search, include_metadata: withMetadata, include_total: withTotal, ...page }) {
      const { services, user } = context;
      const visible = await services.get('identity').visibility(user, 'fs:ListRepositories');
      const request = { ...pageRequest(page), search: search || undefined, visible: ({ id }: Repository) => visible(repositoryArn(id)) };
      const { after: _, amount: __, ...all } = request;
      const [found, total] = await Promise.all([
        services.get('engine').listRepositories(request),
        withTotal ? services.get('engine').countRepositories(all) : undefined,
      ]);
      const shown = presentPage(found, repository => presentRepository(repository, services.get('block')));
      const results = withMetadata ? await inSlices(shown.results, item => addMetadata(context, item)) : shown.results;
      return { ...shown, results, total };
    },
  }),

  createRepository: operation({
    operationId: 'createRepository',
    method: 'POST',
    path: '/repositories',
    tag: 'repositories',
    summary: 'Create a repository',
    query: { bare: withDefault(flag(), false) },
    body: record({
      name: repositoryId,
      storage_id: optional(text()),
      storage_namespace: text({
        pattern: /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/.*$/,
        problem: 'storage namespace: invalid value: validation error; it starts with a scheme such as s3://, gs://, https:// or local://',
      }),
      default_branch: optional(text()),
      sample_data: withDefault(flag(), false),
      read_only: withDefault(flag(), false),
    }),
    status: 201,
    result: json(repository),
    failures: [409],
    permission: ({ body }) =>
      all(may('fs:CreateRepository', repositoryArn(body.name)), may('fs:AttachStorageNamespace', namespaceArn(body.storage_namespace))),
    async handler(context, { bare, body }) {
      const { services, committer } = context;
      if (await exists(services.get('engine').getRepository(body.name)))
        throw new SrvError('not_unique', 'error creating repository: not unique');
      const storageId = body.storage_id ?? '';
      checkStorageId(services.get('block'), storageId);
      const store = storeOf(services.get('block'), namespaceOf({ storageId, storageNamespace: body.storage_namespace }));
      checkNamespace(body.storage_namespace, store.info);
      if (!services.get('api').allowInterRegionStorage) await checkRegion(body.storage_namespace, store);
      const created = await services.get('engine').createRepository({
        id: body.name,
        storageNamespace: body.storage_namespace,
        storageId,
        bare,
        readOnly: body.read_only,
        defaultBranch: body.default_branch || undefined,
      });
      if (body.sample_data && !bare && !body.read_only) await createSampleData(services, created, committer);
      return presentRepository(created, services.get('block'));
    },
  }),

  getRepository: operation({
    operationId: 'getRepository',
    method: 'GET',
    path: '/repositories/{repository}',
    tag: 'repositories',
    summary: 'One repository',
    params,
    status: 200,
    result: json(repository),
    failures: [404],
    permission: input => may('fs:ReadRepository', repositoryArn(input.repository)),
    handler: async ({ services }, input) =>
      presentRepository(await services.get('engine').getRepository(input.repository), services.get('block')),
  }),

  deleteRepository: operation({
    operationId: 'deleteRepository',
    method: 'DELETE',
    path: '/repositories/{repository}',
    tag: 'repositories',
    summary: 'Delete a repository; its objects stay in the block store',
    params,
    query: { force },
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: input => may('fs:DeleteRepository', repositoryArn(input.repository)),
    handler: ({ services }, input) => services.get('engine').deleteRepository(input.repository, { force: input.force }),
  }),

  getRepositoryMetadata: operation({
    operationId: 'getRepositoryMetadata',
    method: 'GET',
    path: '/repositories/{repository}/metadata',
    tag: 'repositories',
    summary: 'Metadata of a repository',
    params,
    status: 200,
    result: json(metadata),
    failures: [404],
    permission: input => may('fs:ReadRepository', repositoryArn(input.repository)),
    handler: ({ services }, input) => services.get('engine').getRepositoryMetadata(input.repository),
  }),

  setRepositoryMetadata: operation({
    operationId: 'setRepositoryMetadata',
    method: 'POST',
    path: '/repositories/{repository}/metadata',
    tag: 'internal',
    summary: 'Add or replace metadata of a repository',
    params,
    body: record({ metadata }),
    status: 204,
    result: empty,
    failures: [404],
    permission: input => may('fs:UpdateRepository', repositoryArn(input.repository)),
    handler: ({ services }, input) => services.get('engine').setRepositoryMetadata(input.repository, input.body.metadata),
  }),

  deleteRepositoryMetadata: operation({
    operationId: 'deleteRepositoryMetadata',
    method: 'DELETE',
    path: '/repositories/{repository}/metadata',
    tag: 'internal',
    summary: 'Remove metadata of a repository',
    params,
    body: record({ keys: list(text()) }),
    status: 204,
    result: empty,
    permission: input => may('fs:UpdateRepository', repositoryArn(input.repository)),
    handler: ({ services }, input) => services.get('engine').deleteRepositoryMetadata(input.repository, input.body.keys),
  }),
};

/** Whether a lookup finds something. */
async function exists(lookup: Promise<unknown>): Promise<boolean> {
  return lookup.then(
    () => true,
    (error: unknown) => {
      if (error instanceof SrvError && error.code === 'not_found') return false;
      throw error;
    },
  );
}

/** Only where the caller may read it. */
async function addMetadata({ services, decide }: OperationContext, item: Out<typeof repository>): Promise<Out<typeof repository>> {
  if (!(await decide(may('fs:ReadRepository', repositoryArn(item.id)))).allowed) return item;
  return { ...item, metadata: { ...(await services.get('engine').getRepositoryMetadata(item.id)) } };
}

export function checkNamespace(namespace: string, { namespacePattern }: StorageInfo): void {
  if (!fitsStorePattern(namespacePattern, namespace)) {
    throw new SrvError('invalid', `failed to match required regex ${namespacePattern}: storage namespace ${namespace}: invalid namespace`);
  }
}
