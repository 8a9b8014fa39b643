/**
 * The HTTP listener before an emulator that runs in this process: it can go away as in a crash and come back on the same
 * port, while the emulator keeps its data in memory.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { freePort } from './free-port.js';
import { keptAlive } from './keep-alive.js';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

export class HttpFront {
  readonly url: string;
  readonly #port: number;
  readonly #emulator: RequestListener;
  #server: Server | undefined;

  private constructor(port: number, emulator: RequestListener) {
    this.url = `http://127.0.0.1:${port}`;
    this.#port = port;
    this.#emulator = emulator;
  }

  static async open(emulator: RequestListener): Promise<HttpFront> {
    const front = new HttpFront(await freePort(), emulator);
    await front.start();
    return front;
  }

  async start(): Promise<void> {
    const serve: RequestListener = (request, response) => void this.#serve(request, response);
    const server = createServer(keptAlive, serve).listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    // Tests that forget to close it must still end.
    server.unref();
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  /** A request reaches the emulator when it is complete: emulators take one that breaks off for a fault of their own. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Readable.from(chunks.length > 0 ? [Buffer.concat(chunks)] : []);
      const { method, url, headers, rawHeaders, socket, httpVersion } = request;
      this.#emulator(
        Object.assign(body, { method, url, headers, rawHeaders, socket, httpVersion }) as unknown as IncomingMessage,
        response,
      );
    } catch {
      response.destroy();
    }
  }
}
