/** A download that fails when it ends early. */

import { Readable, Transform, pipeline } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { SrvError } from '@srv/kernel';
import { cancellable, rangeHeader, withLength } from '@srv/lib-stores/block';
import { abortable } from './abortable.js';
import { answerOf } from './errors.js';
import type { TransformCallback } from 'node:stream';
import type { GetOptions } from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';

/** Passes the bytes of an answer on. A connection that ends early or breaks is an error, whatever the answer announced. */
class Download extends Transform {
  #missing: number | undefined;
  readonly #failed: (error: Error) => Error;

  constructor(size: number | undefined, failed: (error: Error) => Error) {
    super();
    this.#missing = size;
    this.#failed = failed;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    if (this.#missing !== undefined) this.#missing -= chunk.length;
    callback(null, chunk);
  }

  override _flush(callback: TransformCallback): void {
    if (this.#missing === undefined || this.#missing === 0) callback();
    else callback(Object.assign(new Error(`the answer is ${this.#missing} bytes short`), { code: 'ECONNRESET' }));
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    callback(error && this.#failed(error));
  }
}

/**
 * Begins to read an object, or a range of it.
 * @param failed turns an error of the connection into what the reader sees.
 * @returns a stream that has no bytes when the range begins after the end.
 */
export async function readObject(place: ObjectPlace, { range, signal }: GetOptions, failed: (error: Error) => Error): Promise<Readable> {
  const { client, bucket, key, address } = place;
  const command = new GetObjectCommand({ Bucket: bucket, Key: key, Range: range && rangeHeader(range) });
  try {
    const { Body, ContentLength, ContentRange } = await client.send(command, abortable(signal));
    if (!(Body instanceof Readable)) throw new SrvError('unavailable', `${address}: the store answered without a body`);
    if (range && ContentRange === undefined && ContentLength !== 0) {
      Body.destroy();
      throw new SrvError('unsupported', `${address}: the store does not read ranges`);
    }
    // Readers see the error; destroying one side destroys the other.
    const download = cancellable(
      pipeline(Body, new Download(ContentLength, failed), () => undefined),
      signal,
    );
    return ContentLength === undefined ? download : withLength(download, ContentLength);
  } catch (error) {
    if (range && answerOf(error)?.status === 416) return withLength(Readable.from([], { objectMode: false }), 0);
    throw error;
  }
}
