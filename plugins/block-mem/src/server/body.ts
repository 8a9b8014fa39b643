/** Bodies on their way into and out of memory. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SrvError, throwIfAborted } from '@srv/kernel';
import type { PutOptions } from '@srv/kernel';

export interface StoredBytes {
  readonly bytes: Buffer;
  /** MD5 in hex. */
  readonly etag: string;
  readonly lastModified: Date;
}

const chunkBytes = 64 << 10;

/** Takes a whole body in. @throws SrvError `invalid` when it is not of the announced size, `cancelled` when aborted. */
export async function takeIn(body: Readable | Buffer, { size, signal }: PutOptions): Promise<StoredBytes> {
  throwIfAborted(signal);
  const hash = createHash('md5');
  const chunks: Buffer[] = [];
  let length = 0;
  const take = async (source: AsyncIterable<Buffer | string> | Iterable<Buffer>): Promise<void> => {
    for await (const given of source) {
      const chunk = typeof given === 'string' ? Buffer.from(given) : given;
      length += chunk.length;
      if (size !== undefined && length > size) break;
      hash.update(chunk);
      chunks.push(chunk);
    }
  };
  try {
    await (Buffer.isBuffer(body) ? take([body]) : pipeline(body, take, signal ? { signal } : {}));
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  }
  if (size !== undefined && length !== size)
    throw new SrvError('invalid', `the body has ${length > size ? 'more' : length} bytes, ${size} were announced`);
  return { bytes: Buffer.concat(chunks), etag: hash.digest('hex'), lastModified: new Date() };
}

/** A stream of stored bytes; later writes do not change what it yields. */
export function giveOut(bytes: Buffer, signal?: AbortSignal): Readable {
  const chunks = function* (): Generator<Buffer> {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      throwIfAborted(signal);
      yield bytes.subarray(at, at + chunkBytes);
    }
  };
  return Readable.from(chunks(), { objectMode: false });
}
