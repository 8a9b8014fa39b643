/** One request and its response, for all handlers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Fresh for every request; returned as `X-Request-ID`. */
  readonly requestId: string;
  /** Whether the connection is encrypted. */
  readonly secure: boolean;
  /** Of the other end of the connection, which may be a proxy's. */
  readonly remoteAddress: string;
  /** Name of the authenticated user, for the audit line. */
  user: string | undefined;
}

const callerLeft = 499;

/** Whether all of an answer was sent, once its connection has closed it; otherwise the caller left before. */
export function wasSent(request: IncomingMessage | Http2ServerRequest, response: ServerResponse): boolean {
  // A stream of HTTP/2 counts as finished when it was given up.
  const gaveUp = 'stream' in request && request.stream.aborted;
  return response.writableFinished && !gaveUp;
}

/** What an answer ended with, once its connection has closed it: 499 when the caller left before it was complete. */
export function endStatus(request: IncomingMessage | Http2ServerRequest, response: ServerResponse): number {
  return wasSent(request, response) ? response.statusCode : callerLeft;
}
