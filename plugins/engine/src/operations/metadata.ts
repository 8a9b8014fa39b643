/** Committed metadata: where its files are, and their bytes. */

import { all, bytes, flag, json, may, oneOf, operation, reply, repositoryArn, repositoryId, text, withDefault } from '@srv/lib-api';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { checkPreSign } from './objects/content.js';
import { storageUri } from './wire.js';
import type { OperationContext } from '@srv/lib-api';

const id = text({ pattern: /^[0-9a-f]{1,64}$/, problem: 'invalid value: validation error; a hexadecimal id' });
const mayReadMetadata = ({ repository }: { readonly repository: string }) =>
  all(may('fs:ListObjects', repositoryArn(repository)), may('fs:ReadRepository', repositoryArn(repository)));

async function locationReply({ services }: OperationContext, repository: string, id: string) {
  const location = await services.get('engine').metadataLocation(repository, id);
  return reply({ headers: { Location: location }, body: { location } });
}

export const metadataOperations = {
  getMetaRange: operation({
    operationId: 'getMetaRange',
    method: 'GET',
    path: '/repositories/{repository}/metadata/meta_range/{meta_range}',
    tag: 'metadata',
    summary: 'Path of a metarange in the storage namespace',
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
    summary: 'Path of a range in the storage namespace',
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
    async handler({ services }, { repository, type, object_id, presign }) {
      if (!presign)
        return reply({
          headers: { 'Content-Type': 'application/octet-stream' },
          stream: await services.get('engine').openMetadata(repository, type, object_id),
        });
      const namespace = namespaceOf(await services.get('engine').getRepository(repository));
      checkPreSign(services.get('block'), namespace);
      const identifier = await services.get('engine').metadataLocation(repository, object_id);
      const { url } = await services.get('block').preSign({ namespace, identifier, identifierType: identifierType.relative }, 'read');
      return reply({ status: 302, headers: { Location: url } });
    },
  }),
};
