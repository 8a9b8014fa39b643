/** The two kinds of data that come bit by bit. */
import type { Readable } from 'node:stream';

/** A stream of bytes. */
export function isBytes(data: unknown): data is Readable {
  return typeof data === 'object' && data !== null && 'pipe' in data;
}

/** Items one after the other. */
export function isStream(data: unknown): data is AsyncIterable<unknown> {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data && !isBytes(data);
}
