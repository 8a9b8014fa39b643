/** Bodies in blocks of one size, and their hash on the way. */

import { SrvError } from '@srv/kernel';
import { BodyDigest, hashKind } from '../checksums/body-digest.js';

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
  /** Known when the chunks have ended. */
  readonly digest: () => Buffer;
}

/** Hashes what passes unless the caller knows the MD5; large bodies in a thread. @param known in hex. */
export function digested(chunks: AsyncIterable<Buffer>, known?: () => string | Promise<string>): DigestedBody {
  let found: Buffer | undefined;
  const passing = async function* (): AsyncGenerator<Buffer> {
    if (known) {
      yield* chunks;
      found = Buffer.from(await known(), 'hex');
      return;
    }
    const digest = new BodyDigest([hashKind('md5')]);
    try {
      for await (const chunk of chunks) {
        await digest.update(chunk);
        yield chunk;
      }
      [found] = await digest.finish();
    } finally {
      digest.abandon();
    }
  };
  return {
    chunks: passing(),
    digest: () => {
      if (!found) throw new SrvError('internal', 'the MD5 of a body was asked for before its end');
      return found;
    },
  };
}
