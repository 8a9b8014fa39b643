/** Bodies of puts and parts on their way into a store. */
import { Readable } from 'node:stream';
import { SrvError, throwIfAborted } from '@srv/kernel';
import type { PutOptions } from './contract.js';

/**
 * The chunks of a body; text counts as UTF-8. The body is destroyed when the reader stops early.
 * @throws SrvError `invalid` as soon as the body is longer than `size`, or when it ends short of it; `cancelled` when
 * aborted.
 */
export async function* checkedBody(body: Readable | Buffer, { size, signal }: PutOptions = {}): AsyncGenerator<Buffer> {
  throwIfAborted(signal);
  let length = 0;
  const source: AsyncIterable<Buffer | string> | Iterable<Buffer> = Buffer.isBuffer(body) ? [body] : body;
  const destroy = (): void => {
    if (!Buffer.isBuffer(body)) body.destroy();
  };
  signal?.addEventListener('abort', destroy, { once: true });
  try {
    for await (const given of source) {
      throwIfAborted(signal);
      const chunk = typeof given === 'string' ? Buffer.from(given) : given;
      length += chunk.length;
      if (size !== undefined && length > size) throw wrongSize(size, 'more');
      if (chunk.length > 0) yield chunk;
    }
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    signal?.removeEventListener('abort', destroy);
  }
  throwIfAborted(signal);
  if (size !== undefined && length < size) throw wrongSize(size, String(length));
}

/** {@link checkedBody} as a stream, for clients that want one. */
export function checkedStream(body: Readable | Buffer, options: PutOptions = {}): Readable {
  return Readable.from(checkedBody(body, options), { objectMode: false });
}

/** @throws SrvError `invalid` when the bytes are not as many as announced. */
export function checkSize({ length }: Buffer, size: number | undefined): void {
  if (size !== undefined && length !== size) throw wrongSize(size, length > size ? 'more' : String(length));
}

/** @param found how many bytes there are, as text. @returns an error to throw. */
export function wrongSize(size: number, found: string): SrvError {
  return new SrvError('invalid', `the body has ${found} bytes, ${size} were announced`);
}
