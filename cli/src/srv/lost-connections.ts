/**
 * Connections that were on their way to a worker when it was killed. The runtime accepts them in the first process and hands
 * them over; of those that the worker had not taken yet it forgets, and their clients would wait for ever. Here they are
 * closed, so that a client tries again.
 */
import type { Worker } from 'node:cluster';

/** What the runtime sends, as far as it matters. */
interface Handover {
  readonly act?: unknown;
  readonly seq?: unknown;
}

interface Answer {
  readonly ack?: unknown;
}

interface Closable {
  close(): void;
}

/** Watches the connections that are handed to a worker. To be called before it serves. */
export function closeLostConnections({ process: worker }: Pick<Worker, 'process'>): void {
  const open = new Map<unknown, Closable>();
  let hasEnded = false;
  const send = worker.send.bind(worker) as (...args: unknown[]) => boolean;
  worker.send = (...args: unknown[]): boolean => {
    const [message, handle] = args as [Handover, unknown];
    if (message?.act === 'newconn' && isClosable(handle)) {
      if (hasEnded) {
        // The runtime has not yet read the end of the channel.
        handle.close();
        return false;
      }
      open.set(message.seq, handle);
    }
    return send(...args);
  };
  worker.on('internalMessage', ({ ack }: Answer) => open.delete(ack));
  // Not `disconnect`: the channel does not emit it while a connection that was sent is not acknowledged.
  worker.once('exit', () => {
    hasEnded = true;
    for (const handle of open.values()) handle.close();
  });
}

function isClosable(handle: unknown): handle is Closable {
  return typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function';
}
