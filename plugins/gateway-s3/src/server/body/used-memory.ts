/**
 * Frees the memory of a body as soon as it has been stored and hashed. The runtime would find it later, by going through
 * everything the server knows: for large bodies that cost more than storing them.
 */

/** Bytes; smaller buffers may be parts of one that others use. */
const ownBytes = 16 << 10;

interface Piece {
  readonly memory: ArrayBuffer;
  /** Bytes of the body up to its end. */
  readonly end: number;
}

/** Newer runtimes can free a buffer; others leave it to the collector. */
interface Transferable {
  transfer?(length: number): unknown;
}

export class UsedMemory {
  readonly #pieces: Piece[] = [];
  #arrived = 0;
  #read = 0;

  /** Bytes of content have arrived. */
  arrived(bytes: number): void {
    this.#arrived += bytes;
  }

  /** What has arrived until now lies in this piece of the source, or in earlier ones. */
  holds({ buffer, byteLength }: Buffer): void {
    if (byteLength >= ownBytes && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer)
      this.#pieces.push({ memory: buffer, end: this.#arrived });
  }

  /** The reader has done with as many bytes more. */
  read(bytes: number): void {
    this.#read += bytes;
  }

  /** @param bytes of the body that have been hashed. */
  hashed(bytes: number): void {
    const done = Math.min(bytes, this.#read);
    for (let first = this.#pieces[0]; first && first.end <= done; first = this.#pieces[0]) {
      (first.memory as Transferable).transfer?.(0);
      this.#pieces.shift();
    }
  }
}
