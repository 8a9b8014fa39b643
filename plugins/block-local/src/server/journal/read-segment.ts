/** The bytes of a segment of the journal. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { codeOf } from '../files/error-codes.js';
import { readPlainFile } from '../files/open-flags.js';

/** Far more than a segment has: one batch beyond its limit. Later bytes are not read. */
export const maxSegmentBytes = 64 << 20;

/**
 * The bytes of a segment; `undefined` when there is no such file.
 * @param limit bytes at most, from the beginning.
 * @param allocate returns a buffer of that many bytes, to be filled.
 */
export function readSegment(
  path: string,
  limit = maxSegmentBytes,
  allocate: (size: number) => Buffer = Buffer.allocUnsafeSlow,
): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, readPlainFile);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    const bytes = allocate(Math.min(stats.size, limit));
    let filled = 0;
    for (let read = -1; read !== 0 && filled < bytes.length; filled += read)
      read = readSync(file, bytes, filled, bytes.length - filled, filled);
    return bytes.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}
