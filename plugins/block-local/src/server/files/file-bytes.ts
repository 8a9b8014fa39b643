/** The bytes of a large file, read into buffers that are used again. */
import { close, read } from 'node:fs';
import { Readable } from 'node:stream';
import type { ByteRange } from '@srv/lib-stores/block';

/** Bytes read at once. Measured: half as many need more calls than they save, twice as many leave the cache of the processor. */
export const pieceBytes = 512 << 10;
/** Buffers kept for the next piece, of this file or another one: 16 MiB. A new one for every piece would be garbage at once. */
const maxSpare = 32;
const spare: Buffer[] = [];

/**
 * Reads a range of a file piece by piece, and closes the file. A receiver that has done with a piece may give it back with
 * {@link takeBack}; it must not look at it afterwards.
 */
export class FileBytes extends Readable {
  readonly #fd: number;
  readonly #end: number;
  /** Pieces that have not been given back. */
  readonly #lent = new WeakSet<Buffer>();
  #at: number;
  #isReading = false;
  /** Waits for a read under way. */
  #close: (() => void) | undefined;

  /** @param range both ends included. */
  constructor(fd: number, { start, end }: ByteRange) {
    super({ highWaterMark: pieceBytes });
    this.#fd = fd;
    this.#at = start;
    this.#end = end + 1;
  }

  /** Takes a piece once. Parts of one are left to the collector: the rest of it may still be read. */
  takeBack(piece: Buffer): void {
    if (this.#lent.delete(piece) && spare.length < maxSpare) spare.push(Buffer.from(piece.buffer));
  }

  override _read(): void {
    const wanted = Math.min(pieceBytes, this.#end - this.#at);
    if (wanted === 0) {
      this.push(null);
      return;
    }
    const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
    this.#isReading = true;
    read(this.#fd, buffer, 0, wanted, this.#at, (error, count) => {
      this.#isReading = false;
      if (this.#close) this.#close();
      else if (error) this.destroy(error);
      else {
        this.#at += count;
        // A file that has become shorter ends early; the sender, which announced the length, cuts the connection.
        const piece = buffer.subarray(0, count);
        this.#lent.add(piece);
        this.push(count === 0 ? null : piece);
      }
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#close = () => close(this.#fd, failure => done(error ?? failure));
    if (!this.#isReading) this.#close();
  }
}
