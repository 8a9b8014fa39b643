/** `node:stream/consumers`: bytes as a whole. */
import type { Piece } from './stream.js';

class Bytes extends Uint8Array {
  override toString(): string {
    return new TextDecoder().decode(this);
  }
}

export async function buffer(pieces: AsyncIterable<Piece>): Promise<Bytes> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
  const whole = new Bytes(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export async function text(pieces: AsyncIterable<Piece>): Promise<string> {
  return (await buffer(pieces)).toString();
}

export async function json(pieces: AsyncIterable<Piece>): Promise<unknown> {
  return JSON.parse(await text(pieces));
}
