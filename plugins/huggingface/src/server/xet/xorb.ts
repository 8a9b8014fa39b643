/** Xorbs: chunks of files, one after another, each with a header of eight bytes. */
import { HubError } from '../errors.js';
import { decodeLz4Frame } from './lz4.js';

const headerBytes = 8;
/** Bytes of a chunk; clients make them of at most 128 KiB. */
const largestChunk = 1 << 20;
/** Chunks of a xorb; clients put at most 8,192 into one. */
const mostChunks = 16_384;

interface ChunkHeader {
  /** Stored bytes. */
  readonly stored: number;
  /** 0: as it is, 1: LZ4, 2: by every fourth byte, then LZ4. */
  readonly scheme: number;
  /** Bytes of the content. */
  readonly size: number;
}

/** @throws HubError 400. */
function headerOf(bytes: Buffer): ChunkHeader {
  const [version = 0, scheme = 0] = [bytes[0], bytes[4]];
  const [stored, size] = [bytes.readUIntLE(1, 3), bytes.readUIntLE(5, 3)];
  if (version !== 0 || scheme > 2 || size > largestChunk || stored > largestChunk + 1024)
    throw new HubError(400, 'the xorb has a chunk that is not known, or too large');
  return { stored, scheme, size };
}

/** Finds where chunks begin while a xorb arrives. */
export class ChunkIndex {
  readonly #offsets: number[] = [0];
  #header: Buffer = Buffer.alloc(0);
  /** Bytes of the chunk that are still to come. */
  #rest = 0;
  #seen = 0;

  /** @throws HubError 400. */
  take(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#rest > 0) {
        const skipped = Math.min(this.#rest, piece.length - at);
        this.#rest -= skipped;
        at += skipped;
        this.#advance(skipped);
        continue;
      }
      const part = piece.subarray(at, at + headerBytes - this.#header.length);
      this.#header = Buffer.concat([this.#header, part]);
      at += part.length;
      this.#seen += part.length;
      if (this.#header.length < headerBytes) return;
      this.#rest = headerOf(this.#header).stored;
      this.#header = Buffer.alloc(0);
      this.#advance(0);
    }
  }

  /** Where each chunk begins, and the end. @throws HubError 400. */
  end(): readonly number[] {
    if (this.#rest > 0 || this.#header.length > 0) throw new HubError(400, 'the xorb ends within a chunk');
    return this.#offsets;
  }

  #advance(bytes: number): void {
    this.#seen += bytes;
    if (this.#rest > 0) return;
    this.#offsets.push(this.#seen);
    if (this.#offsets.length > mostChunks) throw new HubError(400, `the xorb has more than ${mostChunks} chunks`);
  }
}

/** The contents of chunks from a part of a xorb that begins with one. @throws HubError 400. */
export async function* readChunks(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of source) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (;;) {
      if (rest.length < headerBytes) break;
      const header = headerOf(rest);
      const end = headerBytes + header.stored;
      if (rest.length < end) break;
      yield contentOf(header, rest.subarray(headerBytes, end));
      rest = rest.subarray(end);
    }
  }
  if (rest.length > 0) throw new HubError(400, 'the xorb ends within a chunk');
}

function contentOf({ scheme, size }: ChunkHeader, stored: Buffer): Buffer {
  if (scheme !== 0) {
    const content = decodeLz4Frame(stored, size);
    return scheme === 1 ? content : interleaved(content);
  }
  if (stored.length !== size) throw new HubError(400, 'the xorb has a chunk of another size than announced');
  return stored;
}

/** All first bytes of groups of four come first, then all second ones, and so on. */
function interleaved(grouped: Buffer): Buffer {
  const content = Buffer.allocUnsafe(grouped.length);
  for (let first = 0, from = 0; first < 4; first++) for (let to = first; to < grouped.length; to += 4) content[to] = grouped[from++] ?? 0;
  return content;
}
