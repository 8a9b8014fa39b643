/** PutObject: the body streams to a fresh address, then the entry appears on the branch. */
import { quoteEtag } from '@srv/lib-api/http';
import { algorithmOf } from '../body/checksum.js';
import { writeCondition } from '../protocol/conditions.js';
import { S3Error } from '../protocol/errors.js';
import { headerText } from '../protocol/headers.js';
import { readMetadata } from '../protocol/metadata.js';
import { checksumHeaders, keepChecksum } from '../protocol/stored-checksum.js';
import { keepTags, requestTags } from '../protocol/tags.js';
import { prepareWrite } from './entries.js';
import { translating } from './failures.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';
import type { Payload } from '../body/payload.js';
import type { Metadata } from '../protocol/metadata.js';
import type { StoredChecksum } from '../protocol/stored-checksum.js';
import type { Tag } from '../protocol/tags.js';
import type { ObjectContext, ServiceContext } from './context.js';

/** Bytes; no more than a connection buffers anyway. */
const smallBody = 64 * 1024;

export const putObject = objectOperation({
  name: 'PutObject',
  method: 'PUT',
  writes: true,
  permission: onObject('fs:WriteObject'),
  async handle(context) {
    const { headers, answer } = context;
    demandLength(context);
    demandWhole(context);
    const { etag, checksum } = await storeObject(context, requestTags(headers));
    await answer.empty(200, { ETag: quoteEtag(etag), ...checksumHeaders(checksum) });
  },
});

interface StoredObject {
  readonly etag: string;
  readonly checksum: StoredChecksum | undefined;
}

/** Stores the body under the path, with what the headers say about it. */
export async function storeObject(context: ObjectContext, tags: readonly Tag[]): Promise<StoredObject> {
  const { engine, repository, ref, path, headers, signal } = context;
  const condition = writeCondition(headers.text('if-none-match'), headers.text('if-match'));
  const metadata = { ...readMetadata(headers), ...keepTags(tags) };
  await prepareWrite(context, condition);
  const payload = context.payload();
  const small = isSmall(payload);
  const body = small ? await payload.whole(smallBody) : payload.stream;
  const { etag } = await translating({ not_found: 'NoSuchBucket' }, () =>
    engine.putObject(repository.id, ref, path, body, {
      metadata,
      checked: true,
      describe: stored => keepVerified(payload, stored.etag),
      signal,
      md5: small ? undefined : payload.md5,
      ...contentTypeOf(context),
      ...storageClassOf(context),
      size: payload.size,
      condition,
    }),
  );
  return { etag, checksum: verifiedChecksum(payload) };
}

/** Small bodies are read before they are stored: as a stream they would cost many times what they are worth. */
function isSmall({ size }: Payload): boolean {
  return size !== undefined && size <= smallBody;
}

/** @throws S3Error `MissingContentLength` when the end of the body is unknown. */
export function demandLength({ isFramed }: Pick<ServiceContext, 'isFramed'>): void {
  if (!isFramed) throw new S3Error('MissingContentLength');
}

/** @throws S3Error `NotImplemented` when the body is only a piece of the object: it would replace the whole. */
export function demandWhole({ headers }: Pick<ServiceContext, 'headers'>): void {
  if (headers.text('content-range') !== undefined || headers.text('x-amz-write-offset-bytes') !== undefined)
    throw new S3Error('NotImplemented');
}

export function contentTypeOf({ headers }: Pick<ServiceContext, 'headers'>): { contentType?: string } {
  const value = headers.text('content-type');
  return value === undefined ? {} : { contentType: headerText(value) };
}

export function storageClassOf({ headers }: Pick<ServiceContext, 'headers'>): { storageClass?: string } {
  const value = headers.text('x-amz-storage-class');
  return value === undefined ? {} : { storageClass: value };
}

/** What the body was verified with, once it has been read. */
export function verifiedChecksum({ checksums }: Payload): StoredChecksum | undefined {
  const [verified] = checksums;
  if (!verified) return undefined;
  const [header, value] = verified;
  return { type: 'FULL_OBJECT', algorithm: algorithmOf(header), value };
}

function keepVerified(payload: Payload, etag: string): Metadata {
  const checksum = verifiedChecksum(payload);
  return checksum ? keepChecksum(checksum, etag) : {};
}
