/** Frames on a stream: `<length of payload: 4 bytes, big endian><payload>`. */

const lengthBytes = 4;

/** The peer does not speak this protocol; nothing more is read from it. */
export class ProtocolError extends Error {}

/** One frame of these pieces. */
export function frameOf(pieces: readonly Buffer[], payloadBytes: number): Buffer {
  const head = Buffer.allocUnsafe(lengthBytes);
  head.writeUInt32BE(payloadBytes);
  return Buffer.concat([head, ...pieces], lengthBytes + payloadBytes);
}

/** Cuts a stream into frames. Holds at most one unfinished frame and the chunk that ends it. */
export class FrameReader {
  /** Bytes of a payload; a longer one is refused before it arrives. */
  limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** @returns the payload of the next whole frame. @throws ProtocolError for a frame above the limit. */
  next(): Buffer | undefined {
    if (this.#bytes < lengthBytes) return undefined;
    const size = this.#head().readUInt32BE();
    if (size > this.limit) throw new ProtocolError(`a frame of ${size} bytes is more than ${this.limit}`);
    const end = lengthBytes + size;
    if (this.#bytes < end) return undefined;
    const all = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#bytes -= end;
    this.#chunks = this.#bytes > 0 ? [all.subarray(end)] : [];
    return all.subarray(lengthBytes, end);
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The first chunk, which holds the whole length. */
  #head(): Buffer {
    const first = this.#chunks[0] ?? Buffer.alloc(0);
    if (first.length >= lengthBytes) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}
