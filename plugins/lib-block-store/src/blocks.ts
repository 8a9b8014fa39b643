/** Bodies in blocks of one size, and their hash on the way. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Hash } from 'node:crypto';

/** Hashing so much takes a few milliseconds. */
const hashBytes = 2 << 20;

/** Some bytes of a body, in the chunks they came in, so that they are not copied. */
export interface Block {
  readonly chunks: readonly Buffer[];
  /** Bytes of all chunks. */
  readonly length: number;
}

/** Chunks smaller than this are put together: many small ones are slow to send. */
const leastChunkBytes = 64 << 10;

/** All blocks but the last have `blockBytes` bytes; a body without bytes has none. */
export async function* blocksOf(chunks: AsyncIterable<Buffer>, blockBytes: number): AsyncGenerator<Block, void> {
  let block = new OpenBlock();
  for await (const chunk of chunks) {
    let rest = chunk;
    while (block.length + rest.length > blockBytes) {
      const cut = blockBytes - block.length;
      block.add(rest.subarray(0, cut));
      yield block.close();
      block = new OpenBlock();
      rest = rest.subarray(cut);
    }
    block.add(rest);
  }
  if (block.length > 0) yield block.close();
}

class OpenBlock {
  length = 0;
  readonly #chunks: Buffer[] = [];
  #small: Buffer[] = [];
  #smallBytes = 0;

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.length += chunk.length;
    this.#small.push(chunk);
    this.#smallBytes += chunk.length;
    if (this.#smallBytes >= leastChunkBytes) this.#join();
  }

  close(): Block {
    this.#join();
    return { chunks: this.#chunks, length: this.length };
  }

  #join(): void {
    const [only] = this.#small;
    if (only) this.#chunks.push(this.#small.length === 1 ? only : Buffer.concat(this.#small));
    this.#small = [];
    this.#smallBytes = 0;
  }
}

/** A body, and its MD5 once it has passed. */
export interface DigestedBody {
  readonly chunks: AsyncIterable<Buffer>;
  readonly digest: () => Buffer;
}

/** Hashes what passes unless the caller knows the MD5; in pieces, so that a body in memory does not hold the event loop. @param known in hex. */
export function digested(chunks: AsyncIterable<Buffer>, known?: () => string): DigestedBody {
  if (known) return { chunks, digest: () => Buffer.from(known(), 'hex') };
  const hash = createHash('md5');
  return { chunks: hashing(chunks, hash), digest: () => hash.digest() };
}

async function* hashing(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += hashBytes) {
      if (at > 0) await setImmediate();
      const piece = chunk.subarray(at, at + hashBytes);
      hash.update(piece);
      yield piece;
    }
  }
}
