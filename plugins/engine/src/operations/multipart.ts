/** Large objects in parts that clients write to the block store themselves, by URLs this server signs. */

import { SrvError, isSrvError } from '@srv/kernel';
import {
  all,
  branchId,
  empty,
  integer,
  json,
  list,
  may,
  metadata,
  nullable,
  objectArn,
  operation,
  optional,
  path,
  record,
  reply,
  repositoryId,
  text,
  withDefault,
} from '@srv/lib-api';
import { quoteEtag } from '@srv/lib-api/http';
import { identifierType, namespaceOf, storageRoots, storeOf } from '@srv/lib-stores/block';
import { signAddress, splitAddress, verifyAddress } from './objects/address.js';
import { conditionHeaders, writeCondition } from './objects/conditions.js';
import { inSlices } from './objects/in-slices.js';
import { presentEntry } from './present.js';
import { objectStats } from './wire.js';
import type { OperationContext, Out } from '@srv/lib-api';
import type { BlockStore, ByteRange, CompletedUpload, ObjectPointer, UploadedPart } from '@srv/lib-stores/block';
import type { Repository } from '../refs/contract.js';
import type { SignedTarget } from './objects/address.js';

export const maxParts = 10_000;
const params = { repository: repositoryId, branch: branchId };
export const uploadParams = { ...params, uploadId: text({ filled: true }) };
export const partParams = { ...uploadParams, partNumber: integer({ min: 1, max: maxParts }) };
const addressBody = record({ physical_address: text() });
export const partCopyBody = record({
  physical_address: text(),
  copy_source: record({ repository: repositoryId, ref: text({ filled: true }), path, range: nullable(text()) }),
});
const mayWriteObject = (input: { readonly repository: string; readonly path: string }) =>
  may('fs:WriteObject', objectArn(input.repository, input.path));

function checkSupport(block: BlockStore, namespace: string): void {
  const { info, type } = storeOf(block, namespace);
  if (!info.preSignMultipart) throw new SrvError('unsupported', `presign multipart upload API is not supported by the ${type} block store`);
}

interface UploadTarget {
  /** Whose namespace the object lies in: to be staged as one of this repository, since its name may lead elsewhere by then. */
  readonly repository: Repository;
  readonly pointer: ObjectPointer;
}

/** The object of an address that an upload was created with. @throws SrvError `invalid` for any other address. */
export async function uploadTarget({ services }: OperationContext, place: SignedTarget, physicalAddress: string): Promise<UploadTarget> {
  const block = services.get('block');
  const repository = await services.get('engine').getRepository(place.repository);
  const namespace = namespaceOf(repository);
  checkSupport(block, namespace);
  const { address, relative } = splitAddress(storageRoots(block, namespace), physicalAddress);
  if (!relative)
    throw new SrvError('invalid', `physical address must be relative to the storage namespace: ${JSON.stringify(physicalAddress)}`);
  verifyAddress(address, place, services.get('api').signingKey, new Date());
  return { repository, pointer: { namespace, identifier: address, identifierType: identifierType.relative } };
}

/** @throws SrvError `invalid` for anything but `bytes=<first>-<last>`. */
function parsePartRange(text: string): ByteRange {
  const [, start, end] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (start === undefined || end === undefined || Number(start) > Number(end))
    throw new SrvError('invalid', `copy source range ${JSON.stringify(text)} is not bytes=<first>-<last>`);
  return { start: Number(start), end: Number(end) };
}

type CopySource = Out<typeof partCopyBody>['copy_source'];

export function mayCopyPart(input: { readonly repository: string; readonly path: string; readonly body: Out<typeof partCopyBody> }) {
  const { repository, path, body } = input;
  const { copy_source: source } = body;
  return all(may('fs:WriteObject', objectArn(repository, path)), may('fs:ReadObject', objectArn(source.repository, source.path)));
}

/** Where the bytes of a part come from. @throws SrvError `invalid` for a range outside of them. */
export async function partSource(
  { services }: OperationContext,
  { repository, ref, path, range: wanted }: CopySource,
): Promise<{ readonly source: ObjectPointer; readonly range: ByteRange | undefined }> {
  const engine = services.get('engine');
  const range = wanted ? parsePartRange(wanted) : undefined;
  const entry = await engine.getEntry(repository, ref, path);
  if (range && range.end >= entry.size)
    throw new SrvError('invalid', `copy source range ${wanted} ends after the end of ${path}, which has ${entry.size} bytes`);
  const namespace = namespaceOf(await engine.getRepository(repository));
  return { source: { namespace, identifier: entry.address, identifierType: entry.addressType }, range };
}

/** Completes an upload. One that is not known any more has been joined before, if its object is there: it may only have lacked its entry. */
async function joined(
  block: BlockStore,
  pointer: ObjectPointer,
  uploadId: string,
  parts: readonly UploadedPart[],
): Promise<CompletedUpload> {
  try {
    return await block.completeMultipart(pointer, uploadId, parts);
  } catch (error) {
    // The address was given out for this upload alone.
    if (!isSrvError(error, 'not_found') || !(await block.exists(pointer))) throw error;
    return block.properties(pointer);
  }
}

export const multipartOperations = {
  createPresignMultipartUpload: operation({
    operationId: 'createPresignMultipartUpload',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/staging/pmpu',
    tag: 'experimental',
    summary: 'Begin a multipart upload, with URLs for the first parts',
    params,
    query: { path, parts: withDefault(integer(), 0) },
    status: 201,
    result: json(record({ upload_id: text(), physical_address: text(), presigned_urls: optional(list(text())) })),
    failures: [403, 404, 501],
    permission: mayWriteObject,
    async handler({ services }, { repository, branch, path, parts }) {
      const namespace = namespaceOf(await services.get('engine').getRepository(repository));
      checkSupport(services.get('block'), namespace);
      if (parts < 0 || parts > maxParts) throw new SrvError('invalid', `parts can be between 0 and ${maxParts}`);
      await services.get('engine').checkWrite(repository, branch, path);
      const identifier = signAddress(
        services.get('engine').allocateAddress(),
        { repository, branch, path },
        services.get('api').signingKey,
      );
      const pointer = { namespace, identifier, identifierType: identifierType.relative };
      const block = services.get('block');
      const { uploadId } = await block.createMultipart(pointer);
      const numbers = Array.from({ length: parts }, (_, i) => i + 1);
      const signed = await inSlices(numbers, number => block.preSignPart(pointer, uploadId, number));
      return {
        upload_id: uploadId,
        physical_address: services.get('block').resolve(pointer),
        presigned_urls: parts === 0 ? undefined : signed.map(({ url }) => url),
      };
    },
  }),

  completePresignMultipartUpload: operation({
    operationId: 'completePresignMultipartUpload',
    method: 'PUT',
    path: '/repositories/{repository}/branches/{branch}/staging/pmpu/{uploadId}',
    tag: 'experimental',
    summary: 'Complete a multipart upload',
    params: uploadParams,
    query: { path },
    headers: conditionHeaders,
    body: record({
      physical_address: text(),
      parts: list(record({ part_number: integer({ min: 1, max: maxParts }), etag: text() })),
      user_metadata: nullable(metadata),
      content_type: nullable(text()),
    }),
    status: 200,
    result: json(objectStats),
    failures: [403, 404, 409, 412, 501],
    permission: mayWriteObject,
    async handler(context, { repository, branch, path, uploadId, body, ...headers }) {
      const { services } = context;
      const condition = writeCondition(headers['If-None-Match'], headers['If-Match']);
      const target = await uploadTarget(context, { repository, branch, path }, body.physical_address);
      const { identifier } = target.pointer;
      if (body.parts.length === 0) throw new SrvError('invalid', 'parts are required');
      await services.get('engine').checkWrite(target.repository, branch, path, { condition });
      const parts = body.parts.map(part => ({ partNumber: part.part_number, etag: part.etag.replaceAll('"', '') }));
      const { etag, size, lastModified } = await joined(services.get('block'), target.pointer, uploadId, parts);
      const entry = await services.get('engine').stageEntry(target.repository, branch, path, {
        address: identifier,
        addressType: identifierType.relative,
        size,
        etag: etag.replaceAll('"', ''),
        lastModified,
        contentType: body.content_type || undefined,
        metadata: body.user_metadata,
        condition,
      });
      // Clients of this operation know the relative form.
      return { ...presentEntry(entry), physical_address: identifier };
    },
  }),

  abortPresignMultipartUpload: operation({
    operationId: 'abortPresignMultipartUpload',
    method: 'DELETE',
    path: '/repositories/{repository}/branches/{branch}/staging/pmpu/{uploadId}',
    tag: 'experimental',
    summary: 'Abort a multipart upload',
    params: uploadParams,
    query: { path },
    body: addressBody,
    status: 204,
    result: empty,
    failures: [404, 501],
    permission: mayWriteObject,
    async handler(context, { repository, branch, path, uploadId, body }) {
      const { pointer } = await uploadTarget(context, { repository, branch, path }, body.physical_address);
      await context.services.get('block').abortMultipart(pointer, uploadId);
    },
  }),

  uploadPart: operation({
    operationId: 'uploadPart',
    method: 'PUT',
    path: '/repositories/{repository}/branches/{branch}/staging/pmpu/{uploadId}/parts/{partNumber}',
    tag: 'experimental',
    summary: 'Get a URL to upload one part to',
    params: partParams,
    query: { path },
    body: addressBody,
    status: 200,
    result: json(record({ presigned_url: text() })),
    failures: [404, 501],
    permission: mayWriteObject,
    async handler(context, { repository, branch, path, uploadId, partNumber, body }) {
      const { pointer } = await uploadTarget(context, { repository, branch, path }, body.physical_address);
      const { url } = await context.services.get('block').preSignPart(pointer, uploadId, partNumber);
      return { presigned_url: url };
    },
  }),

  uploadPartCopy: operation({
    operationId: 'uploadPartCopy',
    method: 'PUT',
    path: '/repositories/{repository}/branches/{branch}/staging/pmpu/{uploadId}/parts/{partNumber}/copy',
    tag: 'experimental',
    summary: 'Upload one part by copying an existing object or a range of it',
    params: partParams,
    query: { path },
    body: partCopyBody,
    status: 204,
    result: empty,
    failures: [404, 501],
    permission: mayCopyPart,
    async handler(context, { repository, branch, path, uploadId, partNumber, body: { physical_address, copy_source } }) {
      const { pointer } = await uploadTarget(context, { repository, branch, path }, physical_address);
      const { source, range } = await partSource(context, copy_source);
      const { etag } = await context.services.get('block').copyPart(source, pointer, uploadId, partNumber, range);
      return reply({ status: 204, headers: { ETag: quoteEtag(etag) } });
    },
  }),
};
