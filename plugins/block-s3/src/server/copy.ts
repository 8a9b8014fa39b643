/** Copies inside the store; a large object by parts. */

import { CopyObjectCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3';
import { throwIfAborted } from '@srv/kernel';
import { bareEtag, inParallel } from '@srv/lib-stores/block';
import { abortable } from './abortable.js';
import { BegunUpload } from './begun-upload.js';
import { present } from './errors.js';
import { evenPartBytes } from './part-buffers.js';
import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import type { UploadedPart } from '@srv/lib-stores/block';
import type { Encryption, ObjectFacts, ObjectPlace } from './address.js';
import type { PartUpload } from './unknown-length.js';

export interface CopyLimits {
  /** Larger objects are copied by parts. */
  readonly wholeBytes: number;
  /** Bytes of a copied part, at least; as many as 10,000 parts need. */
  readonly partBytes: number;
}

/** Those of S3. */
export const copyLimits: CopyLimits = { wholeBytes: 5 * 2 ** 30, partBytes: 512 << 20 };

const partsAtATime = 4;

/** A copy source as its header wants it: percent-encoded, the slashes kept. */
export function copySource({ bucket, key }: Pick<ObjectPlace, 'bucket' | 'key'>): string {
  return [bucket, ...key.split('/')].map(encodeURIComponent).join('/');
}

interface Copy {
  readonly source: ObjectPlace;
  /** Facts of the source; the copy fails when it has changed since. */
  readonly head: HeadObjectCommandOutput;
  readonly destination: ObjectPlace;
  readonly encryption: Encryption;
  readonly limits: CopyLimits;
  readonly signal: AbortSignal | undefined;
  /** The upload that becomes the destination. */
  upload(facts: ObjectFacts): Omit<PartUpload<unknown>, 'whole'>;
}

export async function copyObject(copy: Copy): Promise<void> {
  const { source, head, destination, encryption, limits, signal } = copy;
  if ((head.ContentLength ?? 0) > limits.wholeBytes) return copyByParts(copy);
  const { CopyObjectResult } = await destination.client.send(
    new CopyObjectCommand({ Bucket: destination.bucket, Key: destination.key, CopySource: copySource(source), ...encryption }),
    abortable(signal),
  );
  present(CopyObjectResult?.ETag, 'ETag');
}

async function copyByParts(copy: Copy): Promise<void> {
  // A copy in one request keeps these without being asked.
  const { ContentType, ContentEncoding, ContentDisposition, ContentLanguage, CacheControl, Metadata } = copy.head;
  const upload = copy.upload({ ContentType, ContentEncoding, ContentDisposition, ContentLanguage, CacheControl, Metadata });
  const begun = new BegunUpload(upload);
  const signal = copy.signal ?? new AbortController().signal;
  try {
    const uploadId = await begun.id(signal);
    await upload.complete(uploadId, await copyParts(copy, uploadId), signal);
  } catch (error) {
    await begun.discard();
    throw error;
  }
}

async function copyParts({ source, head, destination, limits, signal }: Copy, UploadId: string): Promise<UploadedPart[]> {
  const { client, bucket, key } = destination;
  const size = head.ContentLength ?? 0;
  const partBytes = Math.max(limits.partBytes, evenPartBytes(size));
  const parts: UploadedPart[] = [];
  const count = Math.ceil(size / partBytes);
  const copyPart = async (partNumber: number): Promise<void> => {
    throwIfAborted(signal);
    const start = (partNumber - 1) * partBytes;
    const { CopyPartResult } = await client.send(
      new UploadPartCopyCommand({
        Bucket: bucket,
        Key: key,
        UploadId,
        PartNumber: partNumber,
        CopySource: copySource(source),
        CopySourceRange: `bytes=${start}-${Math.min(size, start + partBytes) - 1}`,
        CopySourceIfMatch: head.ETag,
      }),
      abortable(signal),
    );
    parts.push({ partNumber, etag: bareEtag(present(CopyPartResult?.ETag, 'ETag')) });
  };
  // The others finish their part first after a failure, so that none is sent after the abort.
  await inParallel(partNumbers(count), partsAtATime, copyPart);
  return parts.sort((a, b) => a.partNumber - b.partNumber);
}

function* partNumbers(count: number): Generator<number> {
  for (let partNumber = 1; partNumber <= count; partNumber++) yield partNumber;
}
