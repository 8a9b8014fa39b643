/** Files that are read by their number: a call costs half of what one by a handle does. */
import { close, fstat, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { readPlainFile } from './open-flags.js';

/** An open file. Close it. */
export interface PlainFile {
  readonly fd: number;
  /** Bytes, when it was opened. */
  readonly size: number;
}

const calls = { open: promisify(open), fstat: promisify(fstat), close: promisify(close) };

/** Opens what is a file and not a link to one; `undefined` if it is something else. @throws Error of the system, such as `ENOENT`. */
export async function openPlainFile(path: string): Promise<PlainFile | undefined> {
  const fd = await calls.open(path, readPlainFile);
  try {
    const stats = await calls.fstat(fd);
    if (stats.isFile()) return { fd, size: stats.size };
  } catch (error) {
    await calls.close(fd);
    throw error;
  }
  await calls.close(fd);
  return undefined;
}

/**
 * The bytes from `start` on that fit into `into`; fewer where the file ends.
 * @throws Error of the system. The file stays open.
 */
export async function readFully(fd: number, into: Buffer, start: number): Promise<Buffer> {
  let filled = 0;
  for (let found = -1; found !== 0 && filled < into.length; filled += found) {
    found = await new Promise<number>((resolve, reject) => {
      read(fd, into, filled, into.length - filled, start + filled, (error, count) => (error ? reject(error) : resolve(count)));
    });
  }
  return into.subarray(0, filled);
}

export const closeFile = calls.close;
