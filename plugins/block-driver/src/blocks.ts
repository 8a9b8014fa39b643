/** Bodies in blocks of one size, and their hash on the way. */
import { setImmediate } from 'node:timers/promises';
import type { Hash } from 'node:crypto';

/** Hashing so much takes a few milliseconds. */
const hashBytes = 2 << 20;

/** All blocks but the last have `blockBytes` bytes; a body without bytes has none. */
export async function* blocksOf(chunks: AsyncIterable<Buffer>, blockBytes: number): AsyncGenerator<Buffer, void> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (length + rest.length > blockBytes) {
      const cut = blockBytes - length;
      yield joined([...held, rest.subarray(0, cut)]);
      rest = rest.subarray(cut);
      held = [];
      length = 0;
    }
    if (rest.length > 0) held.push(rest);
    length += rest.length;
  }
  if (length > 0) yield joined(held);
}

/** Adds what passes to the hash, in pieces, so that a body in memory does not hold the event loop. */
export async function* hashing(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += hashBytes) {
      if (at > 0) await setImmediate();
      const piece = chunk.subarray(at, at + hashBytes);
      hash.update(piece);
      yield piece;
    }
  }
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks);
}
