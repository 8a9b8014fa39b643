/** How programs that send requests introduce themselves. */
import type { IncomingHttpHeaders } from 'node:http';

/** @returns the header made for it, or else the user agent; empty if the client sends neither. */
export function clientName(headers: IncomingHttpHeaders | Readonly<Record<string, string | string[] | undefined>>): string {
  return String(headers['x-lakefs-client'] ?? headers['x-srv-client'] ?? headers['user-agent'] ?? '');
}
