/** Detects requests followed by bytes that do not begin another request: their bodies were longer than announced. */
import type { IncomingMessage } from 'node:http';

const followed = new WeakSet<object>();

/** Known to the listener alone. */
export function markBodyOverrun(request: IncomingMessage): void {
  followed.add(request);
}

/**
 * Whether more bytes came than `body`, the body of a request, was to have. Ask when all of it has been read, and store
 * nothing then: what arrived is not what the client meant.
 */
export function hasBodyOverrun(body: object): boolean {
  return followed.has(body);
}
