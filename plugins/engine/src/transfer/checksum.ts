/** Counts and hashes bytes on their way. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readSmall, smallFile } from './small-files.js';
import type { IncomingHttpHeaders } from 'node:http';

/** Hexadecimal MD5 of bytes at hand. */
export function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

export interface Meter {
  readonly stream: Transform;
  bytes(): number;
  /** Hexadecimal MD5, once everything has passed. */
  md5(): string;
}

export function meter(onBytes: (count: number) => void): Meter {
  const hash = createHash('md5');
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
  // It may fail before anything listens.
  stream.on('error', () => undefined);
  return {
    stream,
    bytes: () => bytes,
    md5: () => hash.digest('hex'),
  };
}

/** Hexadecimal MD5 of a whole file. @param size bytes that are probably in it: a small one is read at once. */
export async function md5OfFile(file: string, signal?: AbortSignal, size?: number): Promise<string> {
  const small = size !== undefined && size <= smallFile ? await readSmall(file) : undefined;
  if (small) return md5(small);
  const hash = createHash('md5');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash, { signal });
  return hash.digest('hex');
}

/** The MD5 in a checksum or entity tag; `undefined` for tags that are not MD5s, such as those of multipart uploads. */
export function md5Of(tag: string | undefined): string | undefined {
  const bare = tag?.replace(/^W\//, '').replaceAll('"', '').toLowerCase();
  return bare !== undefined && /^[0-9a-f]{32}$/.test(bare) ? bare : undefined;
}

/**
 * Compares what was sent to an object store with what it says it stored.
 * @param tag entity tag or MD5 of the store; ignored if it is not an MD5, or if the store encrypts the content.
 * @param headers of the store's answer.
 * @throws Error when the store has other bytes.
 */
export function checkStored(name: string, sent: string, tag: string, headers: IncomingHttpHeaders = {}): void {
  const expected = md5Of(tag);
  if (expected === undefined || expected === sent || isEncrypted(headers)) return;
  throw new Error(`${name}: the server stored other bytes than were sent (MD5 ${expected}, sent ${sent}); upload it again`);
}

/** With keys of a key service or of the client, entity tags look like MD5s but are not. */
function isEncrypted(headers: IncomingHttpHeaders): boolean {
  const kind = headers['x-amz-server-side-encryption'];
  return (typeof kind === 'string' && kind.startsWith('aws:kms')) || 'x-amz-server-side-encryption-customer-algorithm' in headers;
}
