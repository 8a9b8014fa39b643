/** Reads that can be cancelled. */
import { SrvError } from '@srv/kernel';
import type { Readable } from 'node:stream';

/** Makes `signal` destroy the stream with a SrvError `cancelled`. @returns the stream. */
export function cancellable(stream: Readable, signal: AbortSignal | undefined): Readable {
  if (!signal) return stream;
  const cancel = (): void => void stream.destroy(new SrvError('cancelled', 'the request was cancelled', { cause: signal.reason }));
  // The reader sees the error; a stream without a reader must not end the process.
  stream.on('error', () => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  stream.once('close', () => signal.removeEventListener('abort', cancel));
  return stream;
}
