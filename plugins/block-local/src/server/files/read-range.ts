/** Bytes of an open file as a stream. */
import { ReadyStream, cancellable, withLength } from '@srv/lib-stores/block';
import { FileBytes } from './file-bytes.js';
import { closeFile, readFully } from './plain-file.js';
import type { Readable } from 'node:stream';
import type { ByteRange } from '@srv/lib-stores/block';

/** Bytes that are read in one piece. */
const wholeBytes = 64 << 10;

/**
 * The bytes `start` to `end`, both included, of a file that has them; closes the file.
 * @param signal destroys the stream with a SrvError `cancelled`.
 */
export async function readRange(fd: number, { start, end }: ByteRange, signal?: AbortSignal): Promise<Readable> {
  const length = end - start + 1;
  if (length > wholeBytes) return withLength(cancellable(new FileBytes(fd, { start, end }), signal), length);
  try {
    return cancellable(new ReadyStream(await readFully(fd, Buffer.allocUnsafe(length), start)), signal);
  } finally {
    await closeFile(fd);
  }
}
