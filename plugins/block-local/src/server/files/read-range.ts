/** Bytes of an open file as a stream. */
import { Readable } from 'node:stream';
import { cancellable, withLength } from '@srv/lib-stores/block';
import { FileBytes, pieceBytes } from './file-bytes.js';
import type { FileHandle } from 'node:fs/promises';
import type { ByteRange } from '@srv/lib-stores/block';

/**
 * The bytes `start` to `end`, both included, of a file that has them; closes the file.
 * @param signal destroys the stream with a SrvError `cancelled`.
 */
export async function readRange(file: FileHandle, { start, end }: ByteRange, signal?: AbortSignal): Promise<Readable> {
  const length = end - start + 1;
  if (length > pieceBytes) return withLength(cancellable(new FileBytes(file, { start, end }), signal), length);
  const bytes = await readWhole(file, start, length);
  return withLength(cancellable(Readable.from([bytes], { objectMode: false }), signal), bytes.length);
}

async function readWhole(file: FileHandle, start: number, length: number): Promise<Buffer> {
  try {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    for (let read = -1; read !== 0 && filled < length; filled += read) {
      ({ bytesRead: read } = await file.read(bytes, filled, length - filled, start + filled));
    }
    return bytes.subarray(0, filled);
  } finally {
    await file.close();
  }
}
