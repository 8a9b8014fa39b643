/** Reads an object as a stream. A connection that breaks or ends early is taken up again where it broke, for the same content. */

import { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { SrvError } from '@srv/kernel';
import { cancellable, rangeHeader, withLength } from '@srv/lib-stores/block';
import { abortable } from './abortable.js';
import { answerOf } from './errors.js';
import type { ByteRange, GetOptions } from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';

/** Connections that may break in a row without a byte in between. */
const maxResumes = 3;

interface Answer {
  readonly body: Readable;
  /** Bytes. */
  readonly length: number | undefined;
  readonly etag: string | undefined;
}

type Ask = (range: ByteRange | undefined, etag?: string) => Promise<Answer>;

/**
 * Begins to read an object, or a range of it.
 * @param failed turns an error of the connection into what the reader sees.
 * @returns a stream that has no bytes when the range begins after the end.
 */
export async function readObject(place: ObjectPlace, { range, signal }: GetOptions, failed: (error: Error) => Error): Promise<Readable> {
  const ask = asking(place, signal);
  let first: Answer;
  try {
    first = await ask(range);
  } catch (error) {
    if (range && answerOf(error)?.status === 416) return withLength(Readable.from([], { objectMode: false }), 0);
    throw error;
  }
  const download = new Download(first, range?.start ?? 0, ask, failed);
  const stream = Readable.from(download.bytes(), { objectMode: false });
  // The generator cannot be ended while it waits for bytes: end what it waits for.
  stream.once('close', () => download.close());
  return first.length === undefined ? cancellable(stream, signal) : withLength(cancellable(stream, signal), first.length);
}

function asking({ client, bucket, key, address }: ObjectPlace, signal: AbortSignal | undefined): Ask {
  return async (range, etag) => {
    const command = new GetObjectCommand({ Bucket: bucket, Key: key, Range: range && rangeHeader(range), IfMatch: etag });
    const { Body, ContentLength, ContentRange, ETag } = await client.send(command, abortable(signal));
    if (!(Body instanceof Readable)) throw new SrvError('unavailable', `${address}: the store answered without a body`);
    if (range && ContentRange === undefined && ContentLength !== 0) {
      Body.destroy();
      throw new SrvError('unsupported', `${address}: the store does not read ranges`);
    }
    return { body: Body, length: ContentLength, etag: ETag };
  };
}

class Download {
  #body: Readable;
  #at: number;
  readonly #end: number | undefined;
  readonly #etag: string | undefined;
  readonly #ask: Ask;
  readonly #failed: (error: Error) => Error;
  #isClosed = false;

  constructor({ body, length, etag }: Answer, start: number, ask: Ask, failed: (error: Error) => Error) {
    this.#body = body;
    this.#at = start;
    this.#end = length === undefined ? undefined : start + length;
    this.#etag = etag;
    this.#ask = ask;
    this.#failed = failed;
  }

  async *bytes(): AsyncGenerator<Buffer> {
    for (let resumes = 0; ; resumes++) {
      let failure: Error;
      try {
        for await (const chunk of this.#body as AsyncIterable<Buffer>) {
          this.#at += chunk.length;
          resumes = 0;
          yield chunk;
        }
        if (this.#end === undefined || this.#at >= this.#end) return;
        // The client library does not notice when bytes are missing.
        failure = Object.assign(new Error(`the answer is ${this.#end - this.#at} bytes short`), { code: 'ECONNRESET' });
      } catch (error) {
        failure = error as Error;
      }
      if (this.#isClosed) return;
      if (resumes >= maxResumes) throw this.#failed(failure);
      await this.#resume(failure);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#body.destroy();
  }

  async #resume(failure: Error): Promise<void> {
    const [end, etag] = [this.#end, this.#etag];
    if (end === undefined || etag === undefined || this.#at >= end) throw this.#failed(failure);
    try {
      ({ body: this.#body } = await this.#ask({ start: this.#at, end: end - 1 }, etag));
    } catch (error) {
      throw this.#failed(error as Error);
    }
    // Closed meanwhile.
    if (this.#isClosed) this.#body.destroy();
  }
}
