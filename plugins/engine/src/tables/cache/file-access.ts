/** A table file on disk as bytes at random. Reads are short and usually served from the page cache. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { RandomAccess } from '../format/index.js';

/** Bytes read at once from a file that is read in order. */
const readAhead = 128 * 1024;

export interface OpenFile extends RandomAccess {
  /** Forgets what was read ahead. */
  rest(): void;
  close(): void;
}

/** @throws the file system's error, such as ENOENT when the copy was evicted meanwhile. */
export function openFile(path: string): OpenFile {
  const descriptor = openSync(path, 'r');
  const { size } = fstatSync(descriptor);
  let window: Buffer = Buffer.alloc(0);
  let windowStart = 0;
  let lastEnd = -1;
  return {
    name: path,
    size,
    read(offset, length) {
      const from = offset - windowStart;
      if (from >= 0 && from + length <= window.length) return window.subarray(from, from + length);
      // A reader that resumes where it stopped is likely to read on.
      const sequential = offset === lastEnd || (from >= 0 && from <= window.length);
      lastEnd = offset + length;
      if (!sequential || length >= readAhead) return readAt(descriptor, offset, length);
      window = readAt(descriptor, offset, Math.min(readAhead, size - offset));
      windowStart = offset;
      return window.subarray(0, length);
    },
    rest() {
      window = Buffer.alloc(0);
    },
    close: () => closeSync(descriptor),
  };
}

function readAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  const read = readSync(descriptor, bytes, 0, length, offset);
  return read === length ? bytes : bytes.subarray(0, read);
}
