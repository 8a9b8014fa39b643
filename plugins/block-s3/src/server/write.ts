/** Writes an object: a body of known length with one request, any other in parts when it is longer than one. */
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { abortable } from './abortable.js';
import { answerDate } from './client.js';
import { present } from './errors.js';
import { sendKnownLength } from './known-length.js';
import { evenPartBytes, grownPartBytes } from './part-buffers.js';
import { sendUnknownLength } from './unknown-length.js';
import type { Readable } from 'node:stream';
import type { StorageClass } from '@aws-sdk/client-s3';
import type { PutOptions } from '@srv/lib-stores/block';
import type { Encryption, ObjectPlace } from './address.js';
import type { Multipart } from './multipart.js';

interface WriteOptions extends PutOptions {
  readonly encryption: Encryption;
  readonly multipart: Multipart;
  /** Bytes that a single request may write. */
  readonly putBytes: number;
}

export async function writeObject(
  place: ObjectPlace,
  body: Readable | Buffer,
  { storageClass, signal, encryption, multipart, putBytes, ...options }: WriteOptions,
): Promise<{ lastModified: Date }> {
  const size = options.size ?? (Buffer.isBuffer(body) ? body.length : undefined);
  const facts = { StorageClass: storageClass as StorageClass | undefined };
  const whole = async (content: Readable | Buffer, length: number, abort: AbortSignal | undefined): Promise<{ lastModified: Date }> => {
    const object = { Bucket: place.bucket, Key: place.key, Body: content, ContentLength: length };
    const answer = await place.client.send(new PutObjectCommand({ ...object, ...facts, ...encryption }), abortable(abort));
    present(answer.ETag, 'ETag');
    return { lastModified: answerDate(answer) };
  };
  if (Buffer.isBuffer(body) || (size !== undefined && size <= putBytes))
    return sendKnownLength(body, { size: size ?? 0, signal }, (content, abort) => whole(content, size ?? 0, abort));
  const partBytes = size === undefined ? grownPartBytes : () => evenPartBytes(size);
  const { lastModified } = await sendUnknownLength<{ lastModified: Date }>(
    body,
    { size, signal, partBytes },
    { ...multipart.upload(place, facts), whole: (bytes, abort) => whole(bytes, bytes.length, abort) },
  );
  return { lastModified };
}
