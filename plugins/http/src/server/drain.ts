/** Shutting a listener down without cutting off those who are being served. */
import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Listener } from './listener.js';

/** Milliseconds between looks for connections that have become idle. */
const lookEvery = 50;

export interface Drain {
  /**
   * Stops accepting, closes idle connections at once and the others as they finish; after `drainTimeoutMs` milliseconds cuts
   * the rest.
   * @returns whether all finished in time.
   */
  run(drainTimeoutMs: number): Promise<boolean>;
}

/** Keeps watch over the connections of `listener`, from before it opens. */
export function createDrain(listener: Listener): Drain {
  const sockets = keep<Socket>();
  const sessions = keep<ServerHttp2Session>();
  listener.on('connection', (socket: Socket) => sockets.add(socket));
  listener.on('session', (session: ServerHttp2Session) => sessions.add(session));
  const closeIdle = (): void => {
    listener.closeIdleConnections();
    // Asks the peer to send nothing more; the session ends with its open streams.
    for (const session of sessions.all) if (!session.closed) session.close();
  };
  return {
    async run(drainTimeoutMs) {
      if (!listener.listening) return true;
      const closed = new Promise<true>(resolve => listener.close(() => resolve(true)));
      closeIdle();
      const idle = setInterval(closeIdle, lookEvery);
      let cut: NodeJS.Timeout | undefined;
      const late = new Promise<false>(resolve => {
        cut = setTimeout(() => resolve(false), drainTimeoutMs);
      });
      const finished = await Promise.race([closed, late]);
      clearInterval(idle);
      clearTimeout(cut);
      if (!finished) {
        for (const socket of sockets.all) socket.destroy();
        await closed;
      }
      return finished;
    },
  };
}

/** A set that forgets what has closed. */
function keep<T extends { once(event: 'close', listener: () => void): unknown }>() {
  const all = new Set<T>();
  return {
    all,
    add(item: T): void {
      all.add(item);
      item.once('close', () => all.delete(item));
    },
  };
}
