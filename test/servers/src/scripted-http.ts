/** An HTTP server with the responses that a test defines: throttling, errors, broken bodies. */
import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import { keptAlive } from './keep-alive.js';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class ScriptedHttp {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(answer: RequestListener): Promise<ScriptedHttp> {
    const server = createServer(keptAlive, answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScriptedHttp(server);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/**
 * Passes a request on to the server at `target` and its answer back. The `Host` header stays, since it may be signed.
 * Each has a connection of its own: one that was kept may be closed by a server that counts the time.
 */
export function passOn(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = request;
  const forwarded = sendRequest(new URL(url, target), { method, headers, agent: false });
  forwarded.on('response', answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  forwarded.on('error', () => response.destroy());
  request.pipe(forwarded);
}
