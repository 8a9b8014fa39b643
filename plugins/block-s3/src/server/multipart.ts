/** The requests of multipart uploads, and those the driver makes of long bodies. */

import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListPartsCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { messageOf } from '@srv/kernel';
import { bareEtag, multipartEtag } from '@srv/lib-stores/block';
import { abortable } from './abortable.js';
import { headObject } from './address.js';
import { answerDate } from './client.js';
import { copySource } from './copy.js';
import { UnexpectedAnswer, attemptsOf, present } from './errors.js';
import { sendKnownLength } from './known-length.js';
import { grownPartBytes } from './part-buffers.js';
import { sendUnknownLength } from './unknown-length.js';
import type { Readable } from 'node:stream';
import type { Logger } from '@srv/kernel';
import type { CompletedUpload, PartList, PartPage, PutOptions, UploadedPart } from '@srv/lib-stores/block';
import type { Encryption, ObjectFacts, ObjectPlace } from './address.js';
import type { PartUpload } from './unknown-length.js';

const unfinished = (place: ObjectPlace, uploadId: string) => ({ Bucket: place.bucket, Key: place.key, UploadId: uploadId });

export class Multipart {
  readonly #encryption: Encryption;
  readonly #log: Logger;

  constructor(encryption: Encryption, log: Logger) {
    this.#encryption = encryption;
    this.#log = log;
  }

  /** @param facts of the object that is to become. */
  async begin({ client, bucket, key }: ObjectPlace, facts: ObjectFacts = {}): Promise<string> {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key, ...this.#encryption, ...facts }));
    return present(UploadId, 'upload');
  }

  /** @returns the etag. */
  async part(
    place: ObjectPlace,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    { size, signal }: PutOptions,
  ): Promise<string> {
    const known = size ?? (Buffer.isBuffer(body) ? body.length : undefined);
    if (known !== undefined || Buffer.isBuffer(body))
      return sendKnownLength(body, { size: known ?? 0, signal }, (content, abort) =>
        this.#sendPart(place, { uploadId, partNumber, body: content, size: known ?? 0 }, abort),
      );
    return sendUnknownLength(body, { signal, partBytes: grownPartBytes }, this.#longPart(place, uploadId, partNumber));
  }

  async #sendPart(
    place: ObjectPlace,
    { uploadId, partNumber, body, size }: { uploadId: string; partNumber: number; body: Readable | Buffer; size: number },
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const part = { ...unfinished(place, uploadId), PartNumber: partNumber, Body: body, ContentLength: size };
    const { ETag } = await place.client.send(new UploadPartCommand(part), abortable(signal));
    return bareEtag(present(ETag, 'ETag'));
  }

  /** S3 wants to know a part's length. A part too long to be held becomes an object of its own, is copied, and removed. */
  #longPart(place: ObjectPlace, uploadId: string, partNumber: number): PartUpload<string> {
    const folder = place.key.slice(0, place.key.lastIndexOf('/') + 1);
    const scratch: ObjectPlace = { ...place, key: `${folder}${randomUUID()}.part` };
    return {
      ...this.upload(scratch),
      whole: (bytes, signal) => this.#sendPart(place, { uploadId, partNumber, body: bytes, size: bytes.length }, signal),
      complete: async (scratchId, parts, signal) => {
        await this.complete(scratch, scratchId, parts, signal);
        try {
          return (await this.copyPart(scratch, place, uploadId, partNumber)).etag;
        } finally {
          await scratch.client.send(new DeleteObjectCommand({ Bucket: scratch.bucket, Key: scratch.key }));
        }
      },
    };
  }

  /** The requests that make a long body an object. */
  upload(place: ObjectPlace, facts?: ObjectFacts): Omit<PartUpload<CompletedUpload>, 'whole'> {
    return {
      begin: () => this.begin(place, facts),
      part: (uploadId, partNumber, bytes, signal) =>
        this.#sendPart(place, { uploadId, partNumber, body: bytes, size: bytes.length }, signal),
      complete: (uploadId, parts, signal) => this.complete(place, uploadId, parts, signal),
      abort: uploadId => this.#discard(place, uploadId),
    };
  }

  /** @param range value of the header; absent: all of the source. */
  async copyPart(
    source: ObjectPlace,
    place: ObjectPlace,
    uploadId: string,
    partNumber: number,
    range?: string,
  ): Promise<{ etag: string; lastModified: Date }> {
    const copy = { ...unfinished(place, uploadId), PartNumber: partNumber, CopySource: copySource(source), CopySourceRange: range };
    const { CopyPartResult, ...answer } = await place.client.send(new UploadPartCopyCommand(copy));
    return { etag: bareEtag(present(CopyPartResult?.ETag, 'ETag')), lastModified: CopyPartResult?.LastModified ?? answerDate(answer) };
  }

  async list(place: ObjectPlace, uploadId: string, { maxParts, partNumberMarker }: PartPage): Promise<PartList> {
    const answer = await place.client.send(
      new ListPartsCommand({
        ...unfinished(place, uploadId),
        MaxParts: maxParts,
        PartNumberMarker: partNumberMarker === undefined ? undefined : String(partNumberMarker),
      }),
    );
    if (answer.IsTruncated === undefined && answer.UploadId === undefined) throw new UnexpectedAnswer('the answer is not a list of parts');
    const parts = (answer.Parts ?? []).map(({ PartNumber = 0, ETag = '', Size = 0, LastModified = new Date(0) }) => ({
      partNumber: PartNumber,
      etag: bareEtag(ETag),
      size: Size,
      lastModified: LastModified,
    }));
    const last = parts.at(-1);
    const isTruncated = answer.IsTruncated === true;
    return { parts, isTruncated, ...(isTruncated && last ? { nextPartNumberMarker: last.partNumber } : {}) };
  }

  /** Fails as every request about an unknown upload does. S3 answers repeated completions, and some aborts, with success. */
  async check(place: ObjectPlace, uploadId: string): Promise<void> {
    await this.list(place, uploadId, { maxParts: 1 });
  }

  /** @param parts in ascending number. */
  async complete(place: ObjectPlace, uploadId: string, parts: readonly UploadedPart[], signal?: AbortSignal): Promise<CompletedUpload> {
    const list = { Parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: `"${etag}"` })) };
    const head = () => headObject(place, signal);
    try {
      const command = new CompleteMultipartUploadCommand({ ...unfinished(place, uploadId), MultipartUpload: list });
      const { ETag } = await place.client.send(command, abortable(signal));
      const etag = bareEtag(present(ETag, 'ETag'));
      const { ContentLength: size = 0, LastModified: lastModified = new Date() } = await head();
      return { etag, size, lastModified };
    } catch (error) {
      // When an earlier attempt has completed the upload and its answer was lost, the next one finds none.
      if (attemptsOf(error) < 2 || !(error instanceof Error && error.name === 'NoSuchUpload')) throw error;
      const etag = multipartEtag(parts.map(part => part.etag));
      const found = await head().catch(() => undefined);
      if (bareEtag(found?.ETag ?? '') !== etag) throw error;
      return { etag, size: found?.ContentLength ?? 0, lastModified: found?.LastModified ?? new Date() };
    }
  }

  async abort(place: ObjectPlace, uploadId: string): Promise<void> {
    try {
      await place.client.send(new AbortMultipartUploadCommand(unfinished(place, uploadId)));
    } catch (error) {
      // An earlier attempt has ended it, and its answer was lost.
      if (attemptsOf(error) < 2 || !(error instanceof Error && error.name === 'NoSuchUpload')) throw error;
    }
  }

  /** Ends an upload of the driver's own after a failure, which must not be hidden by another. */
  async #discard(place: ObjectPlace, uploadId: string): Promise<void> {
    try {
      await this.abort(place, uploadId);
    } catch (error) {
      if (error instanceof Error && error.name === 'NoSuchUpload') return;
      this.#log.warn(
        { address: place.address, upload_id: uploadId, error: messageOf(error) },
        'unfinished upload could not be removed; a lifecycle rule of the bucket can',
      );
    }
  }
}
