/**
 * Connections that were on their way to a worker when it was killed. The runtime accepts them in the first process and hands
 * them over; it forgets those that the worker had not taken yet, and their clients would wait for ever. Here they are
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
  worker.once('exit', () => {
    hasEnded = true;
    for (const handle of open.values()) handle.close();
  });
  tellDisconnect(worker);
}

/**
 * The runtime calls `disconnect` when it reads the end of the channel, but does not emit the event while a connection that
 * was sent is not acknowledged; until then it still chooses the worker, and drops what it cannot send. Here the event
 * comes at once, so that it chooses others.
 */
function tellDisconnect(worker: Worker['process']): void {
  let isTold = false;
  worker.once('disconnect', () => {
    isTold = true;
  });
  const disconnect = worker.disconnect.bind(worker);
  worker.disconnect = () => {
    disconnect();
    process.nextTick(() => isTold || worker.emit('disconnect'));
  };
}

function isClosable(handle: unknown): handle is Closable {
  return typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function';
}
