/** Committed metadata: where its files are, and their bytes. */
import { SrvError, identifierType } from '@srv/kernel';
import { bytes, json, operation } from '../operation.js';
import { all, may, repositoryArn } from '../permissions.js';
import { reply } from '../reply.js';
import { flag, oneOf, text, withDefault } from '../schema/field.js';
import { repositoryId } from '../schema/names.js';
import { storageUri } from '../schema/wire.js';
import type { OperationContext } from '../context.js';

const id = text({ pattern: /^[0-9a-f]{1,64}$/, problem: 'invalid value: validation error; a hexadecimal id' });
const mayReadMetadata = ({ repository }: { readonly repository: string }) =>
  all(may('fs:ListObjects', repositoryArn(repository)), may('fs:ReadRepository', repositoryArn(repository)));

async function locationReply({ catalog }: OperationContext, repository: string, id: string) {
  const location = await catalog.metadataLocation(repository, id);
  return reply({ headers: { Location: location }, body: { location } });
}

export const metadataOperations = {
  getMetaRange: operation({
    operationId: 'getMetaRange',
    method: 'GET',
    path: '/repositories/{repository}/metadata/meta_range/{meta_range}',
    tag: 'metadata',
    summary: 'Where a metarange lies below the storage namespace',
    params: { repository: repositoryId, meta_range: id },
    status: 200,
    result: json(storageUri),
    failures: [404],
    permission: mayReadMetadata,
    handler: (context, input) => locationReply(context, input.repository, input.meta_range),
  }),

  getRange: operation({
    operationId: 'getRange',
    method: 'GET',
    path: '/repositories/{repository}/metadata/range/{range}',
    tag: 'metadata',
    summary: 'Where a range lies below the storage namespace',
    params: { repository: repositoryId, range: id },
    status: 200,
    result: json(storageUri),
    failures: [404],
    permission: mayReadMetadata,
    handler: (context, input) => locationReply(context, input.repository, input.range),
  }),

  getMetadataObject: operation({
    operationId: 'getMetadataObject',
    method: 'GET',
    path: '/repositories/{repository}/metadata/object/{type}/{object_id}',
    tag: 'internal',
    summary: 'Bytes of a range or metarange',
    params: { repository: repositoryId, type: oneOf('range', 'meta_range'), object_id: id },
    query: { presign: withDefault(flag(), false) },
    status: 200,
    result: bytes,
    failures: [302, 404],
    permission: mayReadMetadata,
    async handler({ catalog, block }, { repository, type, object_id, presign }) {
      if (!presign)
        return reply({
          headers: { 'Content-Type': 'application/octet-stream' },
          body: await catalog.openMetadata(repository, type, object_id),
        });
      if (!block.info.preSign)
        throw new SrvError('invalid', `pre-signed URLs are not supported by the ${block.type} block store: operation not supported`);
      const { storageNamespace } = await catalog.getRepository(repository);
      const identifier = await catalog.metadataLocation(repository, object_id);
      const { url } = await block.preSign({ namespace: storageNamespace, identifier, identifierType: identifierType.relative }, 'read');
      return reply({ status: 302, headers: { Location: url } });
    },
  }),
};
