/** Clients that write to the block store themselves: get an address, then link what was written. */

import { SrvError } from '@srv/kernel';
import {
  branchId,
  flag,
  givenSeconds,
  integer,
  json,
  may,
  metadata,
  nullable,
  objectArn,
  operation,
  optional,
  path,
  record,
  repositoryId,
  text,
  toSeconds,
  withDefault,
} from '@srv/lib-api';
import { identifierType, namespaceOf, storageRoots, storeOf } from '@srv/lib-stores/block';
import { checkExternal, signAddress, splitAddress, verifyAddress } from './objects/address.js';
import { conditionHeaders, writeCondition } from './objects/conditions.js';
import { checkPreSign } from './objects/content.js';
import { demandForeignSource, refuseLeftBehind } from './objects/source-rights.js';
import { presentEntry } from './present.js';
import { objectStats, stagingLocation } from './wire.js';

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
    summary: 'Get an address in the block store for an object that is linked within a day',
    params,
    query: { path, presign: withDefault(flag(), false) },
    status: 200,
    result: json(stagingLocation),
    failures: [404],
    permission: mayWriteObject,
    async handler({ services }, { repository, branch, path, presign }) {
      const namespace = namespaceOf(await services.get('engine').getRepository(repository));
      const identifier = signAddress(
        services.get('engine').allocateAddress(),
        { repository, branch, path },
        services.get('api').signingKey,
      );
      const pointer = { namespace, identifier, identifierType: identifierType.relative };
      const block = services.get('block');
      const location = { physical_address: block.resolve(pointer) };
      if (!presign) return location;
      checkPreSign(block, namespace);
      const { url, expiry } = await block.preSign(pointer, 'write');
      return { ...location, presigned_url: url, presigned_url_expiry: expiry && toSeconds(expiry) };
    },
  }),

  linkPhysicalAddress: operation({
    operationId: 'linkPhysicalAddress',
    method: 'PUT',
    path: '/repositories/{repository}/branches/{branch}/staging/backing',
    tag: 'staging',
    summary: 'Link an uploaded physical address to a path of a branch',
    params,
    query: { path },
    headers: conditionHeaders,
    body: record({
      staging: record({ physical_address: optional(text()), presigned_url: nullable(text()), presigned_url_expiry: nullable(integer()) }),
      checksum: text(),
      size_bytes: integer({ min: 0 }),
      user_metadata: nullable(metadata),
      content_type: nullable(text()),
      mtime: nullable(givenSeconds),
      force: withDefault(flag(), false),
    }),
    status: 200,
    result: json(objectStats),
    failures: [403, 404, 412, 501],
    permission: mayWriteObject,
    async handler(context, { repository, branch, path, body, ...headers }) {
      const { services } = context;
      // What is checked lies in the namespace of this one: if it moves meanwhile, the entry must not be staged.
      const owner = await services.get('engine').getRepository(repository);
      const namespace = namespaceOf(owner);
      const sent = body.staging.physical_address ?? '';
      const block = services.get('block');
      const roots = storageRoots(block, namespace);
      const { address, relative } = splitAddress(roots, sent);
      if (relative) verifyAddress(address, { repository, branch, path }, services.get('api').signingKey, new Date());
      else {
        refuseLeftBehind(context, { repository, branch, path }, address);
        await checkExternal(storeOf(block, namespace), roots, address);
        await demandForeignSource(context, address);
      }
      const etag = bare(body.checksum);
      if (etag === '') throw new SrvError('invalid', 'checksum is required');
      const condition = writeCondition(headers['If-None-Match'], headers['If-Match']);
      const entry = await services.get('engine').stageEntry(owner, branch, path, {
        address,
        addressType: relative ? identifierType.relative : identifierType.full,
        size: body.size_bytes,
        etag,
        force: body.force,
        contentType: body.content_type || undefined,
        metadata: body.user_metadata,
        lastModified: body.mtime === undefined ? undefined : new Date(body.mtime * 1000),
        condition,
      });
      return { ...presentEntry(entry), physical_address: sent };
    },
  }),
};
