/** The bytes of a large file, read into buffers that are used again. */
import { Readable } from 'node:stream';
import type { FileHandle } from 'node:fs/promises';
import type { ByteRange } from '@srv/lib-stores/block';

/** Bytes read at once. */
export const pieceBytes = 256 << 10;
/** Buffers kept for the next piece, of this file or another one: 8 MiB. A new one for every piece would be garbage at once. */
const maxSpare = 32;
const spare: Buffer[] = [];

/**
 * Reads a range of a file piece by piece, and closes the file. A receiver that has done with a piece may give it back with
 * {@link takeBack}; it must not look at it afterwards.
 */
export class FileBytes extends Readable {
  readonly #file: FileHandle;
  readonly #end: number;
  #at: number;

  /** @param range both ends included. */
  constructor(file: FileHandle, { start, end }: ByteRange) {
    super({ highWaterMark: pieceBytes });
    this.#file = file;
    this.#at = start;
    this.#end = end + 1;
  }

  takeBack({ buffer, byteLength }: Buffer): void {
    if (byteLength > 0 && buffer.byteLength === pieceBytes && spare.length < maxSpare) spare.push(Buffer.from(buffer));
  }

  override _read(): void {
    const wanted = Math.min(pieceBytes, this.#end - this.#at);
    if (wanted === 0) {
      this.push(null);
      return;
    }
    const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
    this.#file.read(buffer, 0, wanted, this.#at).then(
      ({ bytesRead }) => {
        this.#at += bytesRead;
        // A file that has become shorter ends early; the sender, which announced the length, cuts the connection.
        this.push(bytesRead === 0 ? null : buffer.subarray(0, bytesRead));
      },
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // Waits for a read under way.
    this.#file.close().then(
      () => done(error),
      (failure: Error) => done(error ?? failure),
    );
  }
}
