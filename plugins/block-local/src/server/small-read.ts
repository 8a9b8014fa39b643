/** Small files, and small ranges, in as few calls to the system as there can be. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { missing, unless } from './file-errors.js';
import type { ByteRange } from '@srv/kernel';

/** Longer ones are streamed. */
const smallBytes = 16 << 10;

/** A link is not followed, and a pipe that somebody put there does not stop us; systems that lack a flag ignore it. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of a file, or of a range of it; `undefined` for what needs another look: no file, a link, an empty or a large one.
 * @param path in a folder whose real path it is.
 */
export async function readSmall(path: string, range: ByteRange | undefined): Promise<Buffer | undefined> {
  const { start, end } = range ?? { start: 0, end: Number.POSITIVE_INFINITY };
  const isSmallRange = end - start < smallBytes;
  const file = await unless(open(path, flags), ...missing);
  if (!file) return undefined;
  try {
    const wanted = isSmallRange ? end - start + 1 : smallBytes;
    const read = await unless(file.read(Buffer.allocUnsafe(wanted), 0, wanted, start), ...missing);
    if (!read || read.bytesRead === 0 || (read.bytesRead === smallBytes && !isSmallRange)) return undefined;
    return read.buffer.subarray(0, read.bytesRead);
  } finally {
    // Nobody waits for it: nothing was written.
    file.close().catch(() => undefined);
  }
}

export function streamOf(bytes: Buffer): Readable {
  return new Readable({
    read() {
      this.push(bytes);
      this.push(null);
    },
  });
}
