/** Cuts a body into parts, in buffers that are used again. */

const smallestPart = 8 << 20;
const largestGrownPart = 1 << 30;
const partsPerDoubling = 800;
const maxParts = 10_000;
const firstBuffer = 64 << 10;

/**
 * Bytes of a part of a body of unknown length: 8 MiB, twice as many after every 800 parts, up to 1 GiB. 10,000 parts
 * hold 5 TiB.
 */
export function grownPartBytes(partNumber: number): number {
  return Math.min(largestGrownPart, smallestPart * 2 ** Math.floor((partNumber - 1) / partsPerDoubling));
}

/** Bytes of every part of a body of `size` bytes: whole MiB, and 10,000 parts suffice. */
export function evenPartBytes(size: number): number {
  const mebibyte = 1 << 20;
  return Math.max(smallestPart, Math.ceil(size / maxParts / mebibyte) * mebibyte);
}

export interface BodyPart {
  /** From 1. */
  readonly partNumber: number;
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

export class PartBuffers {
  readonly #bytesOf: (partNumber: number) => number;
  #free: Buffer[] = [];

  /** @param bytesOf bytes of each part but the last. */
  constructor(bytesOf: (partNumber: number) => number) {
    this.#bytesOf = bytesOf;
  }

  /** At least one part; the last may be empty when it is the only one. Every part goes back with {@link release}. */
  async *cut(chunks: AsyncIterable<Buffer>): AsyncGenerator<BodyPart> {
    let partNumber = 1;
    let partBytes = this.#bytesOf(partNumber);
    let buffer: Buffer = Buffer.alloc(0);
    let used = 0;
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) {
        if (used === partBytes) {
          yield { partNumber, bytes: buffer.subarray(0, used), isLast: false };
          partBytes = this.#bytesOf(++partNumber);
          buffer = this.#free.pop() ?? Buffer.alloc(0);
          used = 0;
        }
        const needed = Math.min(partBytes, used + chunk.length - at);
        if (buffer.length < needed) buffer = enlarge(buffer, used, needed, partBytes);
        const copied = chunk.copy(buffer, used, at, at + needed - used);
        used += copied;
        at += copied;
      }
    }
    yield { partNumber, bytes: buffer.subarray(0, used), isLast: true };
  }

  /** The bytes of a part are no longer needed. */
  release({ partNumber, bytes }: BodyPart): void {
    if (bytes.length === this.#bytesOf(partNumber + 1)) this.#free.push(bytes);
    else this.#free = [];
  }
}

function enlarge(buffer: Buffer, used: number, needed: number, partBytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(partBytes, Math.max(firstBuffer, needed, buffer.length * 2)));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
