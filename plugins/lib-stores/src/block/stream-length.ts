/** Streams that say how many bytes they have, before the first of them is read. */
import { ReadyStream } from './bodies.js';
import type { Readable } from 'node:stream';

const lengths = new WeakMap<Readable, number>();

/** Notes how many bytes `stream` is going to yield. @returns the stream. */
export function withLength<S extends Readable>(stream: S, length: number): S {
  lengths.set(stream, length);
  return stream;
}

/** Bytes that `stream` is going to yield, unless it fails; `undefined` if its store did not say. */
export function streamLength(stream: Readable): number | undefined {
  return stream instanceof ReadyStream ? stream.ready.length : lengths.get(stream);
}
