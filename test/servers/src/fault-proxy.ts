/** Stands between a client and a server and misbehaves on demand, as networks do. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo, Server, Socket } from 'node:net';

export class FaultProxy {
  /** The target's URL with the proxy's address in place of the target's. */
  readonly url: string;
  readonly port: number;
  /** Milliseconds that every chunk from the server waits. */
  delay = 0;
  /** Connections are cut after this many more bytes from the server, over all connections. */
  cutAfterBytes = Number.POSITIVE_INFINITY;
  /** Bytes from the server are swallowed, of connections that stay open. */
  silent = false;
  /** New connections are closed at once. */
  refuse = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    const url = new URL(target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    this.url = url.href.replace(/\/$/, '');
    server.on('connection', client => this.#serve(client, target));
  }

  /** @param target URL with an explicit port. */
  static async open(target: string): Promise<FaultProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultProxy(server, new URL(target));
  }

  /** Breaks every connection that is open now. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #serve(client: Socket, target: URL): void {
    if (this.refuse) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(server);
    void this.#forward(server, client);
  }

  async #forward(server: Socket, client: Socket): Promise<void> {
    try {
      for await (const chunk of server as AsyncIterable<Buffer>) {
        if (this.delay > 0) await sleep(this.delay);
        if (this.silent) continue;
        const allowed = chunk.subarray(0, Math.max(0, this.cutAfterBytes));
        this.cutAfterBytes -= chunk.length;
        if (!client.write(allowed)) await untilDrained(client);
        if (allowed.length < chunk.length) client.resetAndDestroy();
      }
      client.end();
    } catch {
      client.destroy();
    }
  }
}

/** Waits until the socket accepts more, or is closed; removes its listeners. */
async function untilDrained(socket: Socket): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).finally(() => done.abort());
}
