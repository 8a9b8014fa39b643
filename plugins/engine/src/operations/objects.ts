/** Reading objects. */
import {
  after,
  amount,
  bytes,
  delimiter,
  empty,
  flag,
  json,
  listOf,
  may,
  objectArn,
  operation,
  optional,
  pageRequest,
  path,
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
import { namespaceOf } from '@srv/lib-stores/block';
import { contentReply, preSignRead, smallBytes } from './objects/content.js';
import { inSlices } from './objects/in-slices.js';
import { listingText } from './objects/listing-text.js';
import { presentEntry, presentListItem } from './present.js';
import { objectStats } from './wire.js';
import type { OperationContext } from '@srv/lib-api';
import type { Entry, ListItem } from '../contract.js';

const params = { repository: repositoryId, ref };
const presign = withDefault(flag(), false);
const userMetadata = withDefault(flag(), true);
const readHeaders = {
  Range: optional(text()),
  'If-Match': optional(text()),
  'If-None-Match': optional(text()),
  'If-Modified-Since': optional(text()),
  'If-Unmodified-Since': optional(text()),
  'If-Range': optional(text()),
};
const mayReadObject = (input: { readonly repository: string; readonly path: string }) =>
  may('fs:ReadObject', objectArn(input.repository, input.path));

export const objectOperations = {
  getObject: operation({
    operationId: 'getObject',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/objects',
    tag: 'objects',
    summary: 'Bytes of an object, or of one range of it',
    params,
    query: { path, presign },
    headers: readHeaders,
    status: 200,
    result: bytes,
    failures: [206, 302, 304, 404, 410, 412, 416],
    permission: mayReadObject,
    async handler(context, input) {
      const { services } = context;
      const entry = await services.get('engine').getEntry(input.repository, input.ref, input.path);
      const redirect = async () => {
        const namespace = namespaceOf(await services.get('engine').getRepository(input.repository));
        const { url } = await preSignRead(services.get('block'), namespace, entry);
        // It must carry none of the headers of the object.
        return reply({ status: 302, headers: { Location: url } });
      };
      return contentReply({
        entry,
        headers: input,
        redirect: input.presign ? redirect : undefined,
        open: range =>
          services.get('engine').open(input.repository, entry, {
            range,
            // A small one is read before a client could disconnect.
            signal: entry.size > smallBytes ? context.signal : undefined,
          }),
      });
    },
  }),

  headObject: operation({
    operationId: 'headObject',
    method: 'HEAD',
    path: '/repositories/{repository}/refs/{ref}/objects',
    tag: 'objects',
    summary: 'Size, tag and type of an object',
    params,
    query: { path },
    headers: readHeaders,
    status: 200,
    result: bytes,
    failures: [206, 304, 404, 410, 412, 416],
    permission: mayReadObject,
    handler: async ({ services }, input) =>
      contentReply({ entry: await services.get('engine').getEntry(input.repository, input.ref, input.path), headers: input }),
  }),

  statObject: operation({
    operationId: 'statObject',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/objects/stat',
    tag: 'objects',
    summary: 'Facts about an object',
    params,
    query: { path, user_metadata: userMetadata, presign },
    status: 200,
    result: json(objectStats),
    failures: [404, 410],
    permission: mayReadObject,
    async handler(context, input) {
      const entry = await context.services.get('engine').getEntry(input.repository, input.ref, input.path);
      const stats = presentEntry(entry);
      const shown = input.user_metadata ? stats : { ...stats, metadata: {} };
      return input.presign ? { ...shown, ...(await preSignedAddress(context, input.repository, entry)) } : shown;
    },
  }),

  listObjects: operation({
    operationId: 'listObjects',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/objects/ls',
    tag: 'objects',
    summary: 'Objects by path; with a delimiter, paths that share a prefix are one item',
    params,
    query: { user_metadata: userMetadata, presign, after, amount, delimiter, prefix },
    status: 200,
    result: json(listOf(objectStats)),
    failures: [404],
    permission: input => may('fs:ListObjects', repositoryArn(input.repository)),
    async handler(context, input) {
      const engine = context.services.get('engine');
      if (!input.presign) return reply({ json: await listingText(engine, input, pageRequest(input)) });
      const found = await engine.list(input.repository, input.ref, pageRequest(input));
      const page = presentPage(found, item => presentListItem(item, input.user_metadata));
      const addresses = await inSlices(found.results, item => preSignedItem(context, input.repository, item));
      return { ...page, results: page.results.map((item, i) => ({ ...item, ...addresses[i] })) };
    },
  }),

  getUnderlyingProperties: operation({
    operationId: 'getUnderlyingProperties',
    method: 'GET',
    path: '/repositories/{repository}/refs/{ref}/objects/underlyingProperties',
    tag: 'objects',
    summary: 'Properties of an object in the block store',
    params,
    query: { path },
    status: 200,
    result: json(record({ storage_class: optional(text()) })),
    failures: [404],
    permission: mayReadObject,
    async handler({ services }, input) {
      const entry = await services.get('engine').getEntry(input.repository, input.ref, input.path);
      const namespace = namespaceOf(await services.get('engine').getRepository(input.repository));
      const { storageClass } = await services.get('block').properties({
        namespace,
        identifier: entry.address,
        identifierType: entry.addressType,
      });
      return storageClass === undefined ? {} : { storage_class: storageClass };
    },
  }),

  uploadObjectPreflight: operation({
    operationId: 'uploadObjectPreflight',
    method: 'GET',
    path: '/repositories/{repository}/branches/{branch}/objects/stage_allowed',
    tag: 'internal',
    summary: 'Whether the caller may write an object',
    params: { repository: repositoryId, branch: ref },
    query: { path },
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: input => may('fs:WriteObject', objectArn(input.repository, input.path)),
    handler: () => undefined,
  }),
};

async function preSignedAddress({ services }: OperationContext, repository: string, entry: Entry) {
  const namespace = namespaceOf(await services.get('engine').getRepository(repository));
  const { url, expiry } = await preSignRead(services.get('block'), namespace, entry);
  return { physical_address: url, physical_address_expiry: expiry && toSeconds(expiry) };
}

/** Objects the caller may not read keep their plain address. */
async function preSignedItem(context: OperationContext, repository: string, item: ListItem) {
  if (item.kind !== 'object') return {};
  const { allowed } = await context.decide(may('fs:ReadObject', objectArn(repository, item.path)));
  return allowed ? preSignedAddress(context, repository, item.entry) : {};
}
