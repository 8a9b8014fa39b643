/** A table file on disk as bytes at random. Reads are short and usually served from the page cache. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { RandomAccess } from '../format/index.js';

export interface OpenFile extends RandomAccess {
  close(): void;
}

/** @throws the file system's error, such as ENOENT when the copy was evicted meanwhile. */
export function openFile(path: string): OpenFile {
  const descriptor = openSync(path, 'r');
  const { size } = fstatSync(descriptor);
  return {
    name: path,
    size,
    read(offset, length) {
      const bytes = Buffer.allocUnsafeSlow(length);
      const read = readSync(descriptor, bytes, 0, length, offset);
      return read === length ? bytes : bytes.subarray(0, read);
    },
    close: () => closeSync(descriptor),
  };
}
