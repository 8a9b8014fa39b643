/** Watches a stream without reading from it, so that readers get it unchanged. */
import { isSrvError } from '@srv/kernel';
import type { Readable } from 'node:stream';

/** Bytes that the stream has got from its source, and those it already holds. */
export function countBytes(stream: Readable): { readonly bytes: number } {
  const count = { bytes: stream.readableObjectMode ? 0 : stream.readableLength };
  // A listener to its data would set the stream going.
  const push = stream.push.bind(stream);
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk instanceof Uint8Array) count.bytes += chunk.length;
    return push(chunk, encoding);
  };
  return count;
}

/**
 * Calls `done` once: when all has been read, or the stream was destroyed. `failed` says whether an error was the reason;
 * a reader that stops is not an error.
 */
export function whenClosed(stream: Readable, done: (failed: boolean) => void): void {
  let isOpen = true;
  const close = (): void => {
    if (isOpen) done(stream.errored !== null && !isSrvError(stream.errored, 'cancelled'));
    isOpen = false;
  };
  if (stream.closed) close();
  stream.once('end', close);
  stream.once('close', close);
}
