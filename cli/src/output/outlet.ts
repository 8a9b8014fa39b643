/** Where output goes, and whether it still arrives: the one place that knows when a reader has left. */
import { setMaxListeners } from 'node:events';
import type { Writable } from 'node:stream';

const closings = new WeakMap<NodeJS.WritableStream, AbortSignal>();
const drains = new WeakMap<NodeJS.WritableStream, Promise<void>>();

/** Aborted when nothing that is written there arrives any more: a pipe's reader left, a pager ended, a disk is full. */
export function closedSignal(stream: NodeJS.WritableStream): AbortSignal {
  const known = closings.get(stream);
  if (known) return known;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const close = (): void => closing.abort();
  for (const event of ['error', 'close', 'finish']) stream.on(event, close);
  const { destroyed, writableEnded } = stream as Partial<Writable>;
  if (destroyed || writableEnded) close();
  closings.set(stream, closing.signal);
  return closing.signal;
}

/** Writes, and waits when the reader is slow. @returns whether more can be written. */
export async function offer(stream: NodeJS.WritableStream, chunk: string | Uint8Array): Promise<boolean> {
  const closed = closedSignal(stream);
  if (closed.aborted) return false;
  if (!stream.write(chunk)) await drained(stream, closed);
  return !closed.aborted;
}

/** Any number of writers wait together. */
function drained(stream: NodeJS.WritableStream, closed: AbortSignal): Promise<void> {
  const known = drains.get(stream);
  if (known) return known;
  const drain = new Promise<void>(resolve => {
    const go = (): void => {
      drains.delete(stream);
      stream.removeListener('drain', go);
      closed.removeEventListener('abort', go);
      resolve();
    };
    stream.once('drain', go);
    closed.addEventListener('abort', go);
  });
  drains.set(stream, drain);
  return drain;
}

/** Writes all chunks, until the reader leaves; ends neither. @throws what the source throws. */
export async function copyTo(stream: NodeJS.WritableStream, chunks: AsyncIterable<string | Uint8Array>): Promise<void> {
  for await (const chunk of chunks) if (!(await offer(stream, chunk))) return;
}
