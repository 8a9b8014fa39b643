/** Answers input that the HTTP parser rejects: it does not become a request, so no route can answer. */
import { STATUS_CODES } from 'node:http';
import { markBodyOverrun } from '@srv/lib-api/http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Listener } from './listener.js';

interface Current {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** By the runtime's code; anything else is {@link malformed}. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the request line and headers are too large; send fewer or shorter headers' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the headers of the request took too long' },
  HPE_INVALID_EOF_STATE: { status: 400, message: 'the connection ended before the end of the request' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'a chunk extension of the body is too large' },
};
const malformed: Refusal = { status: 400, message: 'this is not an HTTP request' };

/** Takes the place of the framework's handler, which answers everything with 400 and cuts off the request before. */
export class ClientErrors {
  /** The latest request of each connection. */
  readonly #current = new WeakMap<object, Current>();

  /** Connections that take nothing more. The parser complains about each further piece. */
  readonly #refused = new WeakSet<object>();

  constructor(listener: Listener) {
    listener.removeAllListeners('clientError');
    listener.on('clientError', (error: ClientError, socket: Duplex) => this.#refuse(error, socket));
  }

  note(request: IncomingMessage, response: ServerResponse): void {
    this.#current.set(request.socket, { request, response });
  }

  #refuse({ code = '', rawPacket }: ClientError, socket: Duplex): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const refusal = refusals[code] ?? malformed;
    const bare = rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
    const current = this.#current.get(socket);
    if (!socket.writable || code === 'ECONNRESET') socket.destroy();
    else if (!current || current.response.closed || current.response.writableFinished) send(socket, refusal, bare);
    else if (!current.request.complete) {
      // The body itself is malformed. Its request ends with the connection.
      if (current.response.headersSent) socket.destroy();
      else send(socket, refusal, bare);
    } else {
      const { request, response } = current;
      if (refusal.status === 400) markBodyOverrun(request);
      // The answer to the whole request comes first, and is the last one of this connection.
      response.shouldKeepAlive = false;
      response.once('close', () => {
        if (refusal.status === 400) socket.destroy();
        else if (socket.writable) send(socket, refusal, bare);
      });
    }
  }
}

/** @param bare the answer is to HEAD: clients would take a body for the next answer. */
function send(socket: Duplex, { status, message }: Refusal, bare: boolean): void {
  const body = `${JSON.stringify({ message })}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${bare ? '' : body}`,
  );
}
