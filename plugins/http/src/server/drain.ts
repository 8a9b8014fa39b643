/** Shutting a listener down without cutting off those who are being served. */
import type { Server } from 'node:http';

/** Milliseconds between looks for connections that have become idle. */
const lookEvery = 50;

/**
 * Stops accepting, closes idle connections at once and the others as they finish; after `patience` milliseconds cuts the rest.
 * @returns whether all finished in time.
 */
export async function drain(listener: Server, patience: number): Promise<boolean> {
  if (!listener.listening) return true;
  const closed = new Promise<true>(resolve => listener.close(() => resolve(true)));
  listener.closeIdleConnections();
  const idle = setInterval(() => listener.closeIdleConnections(), lookEvery);
  let cut: NodeJS.Timeout | undefined;
  const late = new Promise<false>(resolve => {
    cut = setTimeout(() => resolve(false), patience);
  });
  const finished = await Promise.race([closed, late]);
  clearInterval(idle);
  clearTimeout(cut);
  if (!finished) {
    listener.closeAllConnections();
    await closed;
  }
  return finished;
}
