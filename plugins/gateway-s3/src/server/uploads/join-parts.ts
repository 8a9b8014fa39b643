/** The parts of an upload become one object. */
import { isSrvError } from '@srv/kernel';
import { S3Error } from '../protocol/errors.js';
import { keepChecksum } from '../protocol/stored-checksum.js';
import { checkClaims } from './claims.js';
import { checkParts, joinedEtag } from './part-list.js';
import { keepPartSizes } from './part-sizes.js';
import { verifiedParts, verifiedSizes, wholeChecksum } from './whole-checksum.js';
import type { BlockStore, ListedPart, ObjectPointer } from '@srv/lib-stores/block';
import type { HeaderLines } from '../protocol/headers.js';
import type { Metadata } from '../protocol/metadata.js';
import type { StoredChecksum } from '../protocol/stored-checksum.js';
import type { JoinedObject } from './ending.js';
import type { PartChecksums } from './part-checksums.js';
import type { PartToJoin } from './part-list.js';
import type { UploadRecord } from './record.js';

interface JoinRequest {
  readonly block: Pick<BlockStore, 'listParts' | 'completeMultipart' | 'properties'>;
  readonly pointer: ObjectPointer;
  readonly upload: UploadRecord;
  readonly parts: readonly PartToJoin[];
  readonly known: PartChecksums;
  /** Of the request: they may say what the whole is to be. */
  readonly headers: HeaderLines;
  /** Whether a request with the same list may have joined the parts before. */
  readonly again: boolean;
}

/** @throws S3Error when the list does not fit the parts; nothing was joined then. `NoSuchUpload` when the parts are gone. */
export async function joinParts(request: JoinRequest): Promise<JoinedObject> {
  const { block, pointer, upload, parts, known, headers } = request;
  try {
    const stored = await storedParts(request);
    if (stored) checkParts(parts, stored);
    const verified = await verifiedParts(known, upload, parts);
    const sizes = stored ? parts.map(({ partNumber }) => stored.get(partNumber)?.size ?? 0) : verifiedSizes(verified);
    const checksum = await wholeChecksum(upload, verified, sizes);
    checkClaims({ headers, upload, parts, verified, sizes, checksum });
    const { etag, size, lastModified } = await block.completeMultipart(pointer, upload.uploadId, parts);
    return { etag, size, lastModified, kept: keep({ etag, sizes, checksum }) };
  } catch (error) {
    if (isSrvError(error, 'invalid')) throw new S3Error('InvalidPart', { cause: error });
    if (isSrvError(error, 'not_found')) return joinedBefore(request, error);
    throw error;
  }
}

/**
 * The parts are gone: this request continues where another with the same list stopped, which has checked what the client
 * claimed. What is known of verified parts describes the object as it did then.
 */
async function joinedBefore({ block, pointer, upload, parts, known, again }: JoinRequest, cause: unknown): Promise<JoinedObject> {
  const found = await block.properties(pointer).catch((error: unknown) => {
    throw isSrvError(error, 'no_data', 'not_found') ? new S3Error('NoSuchUpload', { cause }) : error;
  });
  const etag = joinedEtag(parts);
  // Without a record of the completion, only the store's own etag shows that it was this list.
  if (!again && found.etag !== etag) throw new S3Error('NoSuchUpload', { cause });
  const verified = await verifiedParts(known, upload, parts);
  const summed = verifiedSizes(verified);
  const sizes = summed?.reduce((sum, size) => sum + size, 0) === found.size ? summed : undefined;
  const kept = keep({ etag, sizes, checksum: await wholeChecksum(upload, verified, sizes) });
  return { etag, size: found.size, lastModified: found.lastModified, kept };
}

interface Described {
  readonly etag: string;
  readonly sizes: readonly number[] | undefined;
  readonly checksum: StoredChecksum | undefined;
}

/** Metadata that describes the joined object. */
function keep({ etag, sizes = [], checksum }: Described): Metadata {
  return { ...keepPartSizes(sizes), ...(checksum ? keepChecksum(checksum, etag) : {}) };
}

/** `undefined` if the store cannot list them; it then checks them itself. */
async function storedParts({ block, pointer, upload }: JoinRequest): Promise<Map<number, ListedPart> | undefined> {
  const found = new Map<number, ListedPart>();
  let partNumberMarker = 0;
  for (let more = true; more; ) {
    const page = await block.listParts(pointer, upload.uploadId, { partNumberMarker, maxParts: 1000 }).catch((error: unknown) => {
      if (isSrvError(error, 'unsupported')) return undefined;
      throw error;
    });
    if (!page) return undefined;
    for (const part of page.parts) found.set(part.partNumber, part);
    more = page.isTruncated && page.nextPartNumberMarker !== undefined;
    partNumberMarker = page.nextPartNumberMarker ?? 0;
  }
  return found;
}
