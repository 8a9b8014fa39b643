/**
 * Bodies that have not been read to the end when their response is sent, such as that of a rejected upload. Left alone, the
 * unread rest blocks the connection: the next request on it is never seen.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** Bytes that are read and dropped, so that the connection can be used again. */
const shortBytes = 16 * 1024 * 1024;
/** Milliseconds for which a longer body is read, so that the client gets to read the response: a reset could overtake it. */
const lingerMs = 2000;

/** How much has not been read: a `long` rest costs more than a new connection. `waiting`: the client waits for 100 Continue. */
type Rest = 'none' | 'short' | 'long' | 'waiting';

function restOf(request: IncomingMessage): Rest {
  const { headers, readableEnded, destroyed, complete } = request;
  if (readableEnded || destroyed || !hasBody(request)) return 'none';
  if (complete) return 'short';
  if (headers.expect !== undefined && !request.readableDidRead) return 'waiting';
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= shortBytes ? 'short' : 'long';
}

function hasBody(request: IncomingMessage): boolean {
  if (isHttp2(request)) return !request.stream.endAfterHeaders;
  const { headers } = request;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * Whether the connection has to end after the response; HTTP/2 ends the stream alone. Whether a client that waits still sends
 * its body is its choice, and what it sends next does not show it.
 */
export function closesConnection(request: IncomingMessage): boolean {
  return !isHttp2(request) && ['long', 'waiting'].includes(restOf(request));
}

/** Reads and drops the rest of a body once the response has been sent. */
export function discardAfter(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return;
  // A response over HTTP/2 is not finished for the runtime before its stream is closed from both sides.
  const sent = isHttp2(response) ? response.stream : response;
  sent?.once('finish', () => {
    const rest = restOf(request);
    if (rest === 'none' || rest === 'waiting') return;
    request.unpipe().resume();
    if (rest === 'long' && isHttp2(response)) void linger(request).then(() => response.stream?.close());
  });
}

/** Reads and drops the rest of a body, but not for long. */
export async function linger(request: IncomingMessage): Promise<void> {
  const rest = restOf(request);
  if (rest === 'none' || rest === 'waiting') return;
  await new Promise<void>(resolve => {
    const finish = (): void => {
      clearTimeout(timer);
      request.off('end', finish).off('close', finish);
      resolve();
    };
    const timer = setTimeout(finish, lingerMs);
    request.once('end', finish).once('close', finish).unpipe().resume();
  });
}

/** The framework and the runtime give both kinds one type. */
function isHttp2(message: IncomingMessage): message is IncomingMessage & Http2ServerRequest;
function isHttp2(message: ServerResponse): message is ServerResponse & Http2ServerResponse;
function isHttp2(message: IncomingMessage | ServerResponse): boolean {
  return 'stream' in message;
}
