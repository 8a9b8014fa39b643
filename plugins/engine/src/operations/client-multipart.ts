/** Multipart uploads of which clients send every request to the block store themselves; they end with `linkPhysicalAddress`. */
import { SrvError } from '@srv/kernel';
import { branchId, integer, json, list, may, metadata, objectArn, operation, path, record, repositoryId, text } from '@srv/lib-api';
import { identifierType, namespaceOf, storeOf } from '@srv/lib-stores/block';
import { maxParts, mayCopyPart, partCopyBody, partParams, partSource, uploadParams, uploadTarget } from './multipart.js';
import { signAddress } from './objects/address.js';
import { inSlices } from './objects/in-slices.js';
import type { OperationContext } from '@srv/lib-api';
import type { BlockStore, ObjectPointer, SignedRequest, UploadStep } from '@srv/lib-stores/block';

const query = { path };
const signedUrl = record({ presigned_url: text() });
const signedRequest = record({ presigned_url: text(), headers: metadata });
const address = { physical_address: text() };
const mayWriteObject = (input: { readonly repository: string; readonly path: string }) =>
  may('fs:WriteObject', objectArn(input.repository, input.path));

/** @throws SrvError `unsupported`. */
async function sign({ services }: OperationContext, pointer: ObjectPointer, step: UploadStep): Promise<SignedRequest> {
  const block = services.get('block');
  checkSupport(block, pointer.namespace);
  const signed = await block.preSignUpload?.(pointer, step);
  if (!signed) throw unsupported(block.type);
  return signed;
}

function checkSupport(block: BlockStore, namespace: string): void {
  const { info, type } = storeOf(block, namespace);
  if (info.clientMultipart !== true) throw unsupported(type);
}

function unsupported(type: string): SrvError {
  return new SrvError('unsupported', `multipart uploads by the client alone are not supported by the ${type} block store`);
}

const shown = ({ url, headers }: SignedRequest) => ({ presigned_url: url, headers: { ...headers } });

/** What the operations about an upload that has begun have in common. */
const begun = {
  method: 'POST',
  tag: 'experimental',
  params: uploadParams,
  query,
  status: 200,
  failures: [403, 404, 501],
  permission: mayWriteObject,
} as const;

export const clientMultipartOperations = {
  presignMultipartCreateRequest: operation({
    operationId: 'presignMultipartCreateRequest',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/staging/cpmpu/create_request',
    tag: 'experimental',
    summary: 'Get a URL that begins a multipart upload, whose requests the client sends itself',
    params: { repository: repositoryId, branch: branchId },
    query,
    status: 200,
    result: json(record({ physical_address: text(), presigned_url: text() })),
    failures: [403, 404, 501],
    permission: mayWriteObject,
    async handler(context, { repository, branch, path }) {
      const [engine, block] = [context.services.get('engine'), context.services.get('block')];
      const namespace = namespaceOf(await engine.getRepository(repository));
      checkSupport(block, namespace);
      await engine.checkWrite(repository, branch, path);
      const identifier = signAddress(engine.allocateAddress(), { repository, branch, path }, context.services.get('api').signingKey);
      const pointer = { namespace, identifier, identifierType: identifierType.relative };
      const { url } = await sign(context, pointer, { step: 'create' });
      return { physical_address: block.resolve(pointer), presigned_url: url };
    },
  }),

  presignMultipartPrepareRequest: operation({
    ...begun,
    operationId: 'presignMultipartPrepareRequest',
    path: '/repositories/{repository}/branches/{branch}/staging/cpmpu/{uploadId}/prepare_request',
    summary: 'Get URLs for the parts of a multipart upload, its completion and its abortion',
    body: record({ ...address, part_count: integer({ min: 1, max: maxParts }) }),
    result: json(record({ presigned_urls: list(text()), complete: signedRequest, abort: signedUrl })),
    async handler(context, { repository, branch, path, uploadId, body }) {
      const { pointer } = await uploadTarget(context, { repository, branch, path }, body.physical_address);
      const complete = await sign(context, pointer, { step: 'complete', uploadId });
      const abort = await sign(context, pointer, { step: 'abort', uploadId });
      const numbers = Array.from({ length: body.part_count }, (_, i) => i + 1);
      const parts = await inSlices(numbers, number => context.services.get('block').preSignPart(pointer, uploadId, number));
      return { presigned_urls: parts.map(({ url }) => url), complete: shown(complete), abort: { presigned_url: abort.url } };
    },
  }),

  presignMultipartCompleteRequest: operation({
    ...begun,
    operationId: 'presignMultipartCompleteRequest',
    path: '/repositories/{repository}/branches/{branch}/staging/cpmpu/{uploadId}/complete_request',
    summary: 'Get a URL that completes a multipart upload',
    body: record(address),
    result: json(signedRequest),
    async handler(context, { repository, branch, path, uploadId, body }) {
      const { pointer } = await uploadTarget(context, { repository, branch, path }, body.physical_address);
      return shown(await sign(context, pointer, { step: 'complete', uploadId }));
    },
  }),

  presignMultipartAbortRequest: operation({
    ...begun,
    operationId: 'presignMultipartAbortRequest',
    path: '/repositories/{repository}/branches/{branch}/staging/cpmpu/{uploadId}/abort_request',
    summary: 'Get a URL that aborts a multipart upload',
    body: record(address),
    result: json(signedUrl),
    async handler(context, { repository, branch, path, uploadId, body }) {
      const { pointer } = await uploadTarget(context, { repository, branch, path }, body.physical_address);
      return { presigned_url: (await sign(context, pointer, { step: 'abort', uploadId })).url };
    },
  }),

  presignMultipartCopyPartRequest: operation({
    ...begun,
    operationId: 'presignMultipartCopyPartRequest',
    path: '/repositories/{repository}/branches/{branch}/staging/cpmpu/{uploadId}/parts/{partNumber}/copy_request',
    summary: 'Get a URL that copies an existing object, or a range of it, as a part',
    params: partParams,
    body: partCopyBody,
    result: json(signedRequest),
    permission: mayCopyPart,
    async handler(context, { repository, branch, path, uploadId, partNumber, body }) {
      const { pointer } = await uploadTarget(context, { repository, branch, path }, body.physical_address);
      const from = await partSource(context, body.copy_source);
      return shown(await sign(context, pointer, { step: 'copyPart', uploadId, partNumber, ...from }));
    },
  }),
};
