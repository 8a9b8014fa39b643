import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below those that systems give to outgoing connections and to listeners that name none: they give it to no other program
 * meanwhile. Above 10,080, the last port to which `fetch` and browsers refuse to connect ("bad port", the Fetch standard).
 */
const [first, end] = [10_081, 32_000];
/** A port is handed out once, also when it is free again. */
const given = new Set<number>();

/** A TCP port of the loopback interface that is free, and that another program takes only if it asks for this very one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, end);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  try {
    await listening;
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
