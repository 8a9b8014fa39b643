/** Where the body of a request ends, in both versions of the protocol. */
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

/** Whether a body is announced, even an empty one, so that its end can be recognised. */
export function isFramed(request: IncomingMessage | Http2ServerRequest): boolean {
  const { headers } = request;
  return headers['content-length'] !== undefined || hasUnknownLength(request);
}

/** Whether the request has a body that ends without a length that was announced. */
export function hasUnknownLength(request: IncomingMessage | Http2ServerRequest): boolean {
  const { headers } = request;
  if ('stream' in request) return headers['content-length'] === undefined && !request.stream.endAfterHeaders;
  return headers['transfer-encoding'] !== undefined;
}
