/** Clients that write to the block store themselves: get an address, then link what was written. */
import { SrvError, identifierType } from '@srv/kernel';
import { json, operation } from '../operation.js';
import { may, objectArn } from '../permissions.js';
import { presentEntry, toSeconds } from '../present.js';
import { flag, integer, nullable, optional, record, text, withDefault } from '../schema/field.js';
import { branchId, path, repositoryId } from '../schema/names.js';
import { metadata, objectStats, stagingLocation } from '../schema/wire.js';
import { checkExternal, namespaceRoots, signAddress, splitAddress, verifyAddress } from '../objects/address.js';
import { writeCondition } from '../objects/conditions.js';

const params = { repository: repositoryId, branch: branchId };
const mayWriteObject = (input: { readonly repository: string; readonly path: string }) =>
  may('fs:WriteObject', objectArn(input.repository, input.path));
const bare = (checksum: string): string => checksum.replace(/["\s]/g, '');

export const stagingOperations = {
  getPhysicalAddress: operation({
    operationId: 'getPhysicalAddress',
    method: 'GET',
    path: '/repositories/{repository}/branches/{branch}/staging/backing',
    tag: 'staging',
    summary: 'A place in the block store for an object to be linked within a day',
    params,
    query: { path, presign: withDefault(flag(), false) },
    status: 200,
    result: json(stagingLocation),
    failures: [404],
    permission: mayWriteObject,
    async handler({ catalog, block, facts }, { repository, branch, path, presign }) {
      const { storageNamespace } = await catalog.getRepository(repository);
      const identifier = signAddress(catalog.allocateAddress(), { repository, branch, path }, facts.signingKey);
      const pointer = { namespace: storageNamespace, identifier, identifierType: identifierType.relative };
      const location = { physical_address: block.resolve(pointer) };
      if (!presign) return location;
      if (!block.info.preSign)
        throw new SrvError('invalid', `pre-signed URLs are not supported by the ${block.type} block store: operation not supported`);
      const { url, expiry } = await block.preSign(pointer, 'write');
      return { ...location, presigned_url: url, ...(expiry ? { presigned_url_expiry: toSeconds(expiry) } : {}) };
    },
  }),

  linkPhysicalAddress: operation({
    operationId: 'linkPhysicalAddress',
    method: 'PUT',
    path: '/repositories/{repository}/branches/{branch}/staging/backing',
    tag: 'staging',
    summary: 'Make what was written to a physical address an object of a branch',
    params,
    query: { path },
    headers: { 'If-None-Match': optional(text()), 'If-Match': optional(text()) },
    body: record({
      staging: record({ physical_address: optional(text()), presigned_url: nullable(text()), presigned_url_expiry: nullable(integer()) }),
      checksum: text(),
      size_bytes: integer({ min: 0 }),
      user_metadata: nullable(metadata),
      content_type: nullable(text()),
      mtime: nullable(integer()),
      force: withDefault(flag(), false),
    }),
    status: 200,
    result: json(objectStats),
    failures: [403, 404, 412, 501],
    permission: mayWriteObject,
    async handler({ catalog, block, facts }, { repository, branch, path, body, ...headers }) {
      const { storageNamespace } = await catalog.getRepository(repository);
      const sent = body.staging.physical_address ?? '';
      const roots = namespaceRoots(block, storageNamespace);
      const { address, relative } = splitAddress(roots, sent);
      if (relative) verifyAddress(address, { repository, branch, path }, facts.signingKey, new Date());
      else checkExternal(block, roots, address);
      const etag = bare(body.checksum);
      if (etag === '') throw new SrvError('invalid', 'checksum is required');
      const condition = writeCondition(headers['If-None-Match'], headers['If-Match']);
      const entry = await catalog.stageEntry(repository, branch, path, {
        address,
        addressType: relative ? identifierType.relative : identifierType.full,
        size: body.size_bytes,
        etag,
        force: body.force,
        ...(body.content_type ? { contentType: body.content_type } : {}),
        ...(body.user_metadata ? { metadata: body.user_metadata } : {}),
        ...(body.mtime === undefined ? {} : { lastModified: new Date(body.mtime * 1000) }),
        ...(condition ? { condition } : {}),
      });
      return { ...presentEntry(entry), physical_address: sent };
    },
  }),
};
