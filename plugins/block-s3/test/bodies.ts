/** Bodies and pointers for tests. */
import { Readable } from 'node:stream';
import { identifierType } from '@srv/lib-stores/block';
import type { ObjectPointer } from '@srv/lib-stores/block';

export const mebibyte = 1 << 20;

export const at = (namespace: string, identifier: string): ObjectPointer => ({
  namespace,
  identifier,
  identifierType: identifierType.relative,
});

/** Bytes that differ from place to place. */
export function pattern(size: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let i = 0; i < size; i++) bytes[i] = (i * 31 + (i >>> 8) * 7 + (i >>> 16) + seed) & 0xff;
  return bytes;
}

/** @param afterwards runs, and may throw, after the bytes. */
export function streamOf(bytes: Buffer, afterwards: () => Promise<void> = async () => undefined): Readable {
  const chunks = async function* () {
    for (let start = 0; start < bytes.length; start += 64 << 10) yield bytes.subarray(start, start + (64 << 10));
    await afterwards();
  };
  return Readable.from(chunks(), { objectMode: false });
}
