/** Bytes of an open file as a stream. */
import { Readable } from 'node:stream';
import { cancellable } from '@srv/lib-block-store';
import type { FileHandle } from 'node:fs/promises';
import type { ByteRange } from '@srv/lib-block-store';

/** Up to this many bytes are read at once: a file stream costs more than they do. */
const atOnceBytes = 256 << 10;

/**
 * The bytes `start` to `end`, both included, of a file that has them; closes the file.
 * @param signal destroys the stream with a SrvError `cancelled`.
 */
export async function readRange(file: FileHandle, { start, end }: ByteRange, signal?: AbortSignal): Promise<Readable> {
  const length = end - start + 1;
  const stream =
    length <= atOnceBytes
      ? Readable.from(await readWhole(file, start, length), { objectMode: false })
      : file.createReadStream({ start, end, highWaterMark: atOnceBytes });
  return cancellable(stream, signal);
}

async function readWhole(file: FileHandle, start: number, length: number): Promise<Buffer[]> {
  try {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    for (let read = -1; read !== 0 && filled < length; filled += read) {
      ({ bytesRead: read } = await file.read(bytes, filled, length - filled, start + filled));
    }
    return [bytes.subarray(0, filled)];
  } finally {
    await file.close();
  }
}
