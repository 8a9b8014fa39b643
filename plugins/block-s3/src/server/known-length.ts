/** Sends a body whose length is known as one request. */
import { Readable } from 'node:stream';
import { throwIfAborted } from '@srv/kernel';
import { checkSize } from '@srv/lib-stores/block';
import { bodyChunks } from './source.js';

/** One request with a body. A buffer may be sent again when the connection breaks, a stream may not. */
type Send<T> = (body: Readable | Buffer, signal: AbortSignal | undefined) => Promise<T>;

interface KnownLength {
  /** Bytes. */
  readonly size: number;
  readonly signal?: AbortSignal | undefined;
}

/** Streams up to this many bytes are gathered first, so that they can be sent again. */
const gatheredBytes = 1 << 20;

/** @throws SrvError `invalid` for a body of another length, `cancelled` when aborted; what the body throws. */
export async function sendKnownLength<T>(body: Readable | Buffer, { size, signal }: KnownLength, send: Send<T>): Promise<T> {
  throwIfAborted(signal);
  if (Buffer.isBuffer(body)) {
    checkSize(body, size);
    return send(body, signal);
  }
  if (size > gatheredBytes) return sendStream(body, { size, signal }, send);
  const chunks: Buffer[] = [];
  for await (const chunk of bodyChunks(body, { size, signal })) chunks.push(chunk);
  return send(Buffer.concat(chunks), signal);
}

async function sendStream<T>(body: Readable, { size, signal }: KnownLength, send: Send<T>): Promise<T> {
  // Ends the request when the body fails, and lets go of the body when the request fails.
  const end = new AbortController();
  const cancel = (): void => end.abort(signal?.reason);
  signal?.addEventListener('abort', cancel, { once: true });
  const stream = Readable.from(lastAtEnd(bodyChunks(body, { size, signal: end.signal }), size), { objectMode: false });
  let failure: unknown;
  stream.on('error', error => {
    failure = error;
    end.abort(error);
  });
  try {
    return await send(stream, end.signal);
  } catch (error) {
    const cause = failure ?? error;
    end.abort(error);
    throw cause;
  } finally {
    signal?.removeEventListener('abort', cancel);
    stream.destroy();
  }
}

/** Keeps the last chunk back until the body has ended: a store that has all announced bytes would accept a body that is longer. */
async function* lastAtEnd(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let length = 0;
  let last: Buffer | undefined;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length < size) yield chunk;
    else last = chunk;
  }
  if (last) yield last;
}
