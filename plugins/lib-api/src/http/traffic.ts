/** Bytes that requests bring and answers take away, for statistics. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Activity } from '@srv/kernel';

/** @param sentBytes of the answer's body; absent: what its header says. Bodies without an announced size are not counted. */
export function countTraffic(
  { headers, method }: IncomingMessage,
  response: ServerResponse,
  count: (activity: Activity) => void,
  sentBytes = Number(response.getHeader('content-length') ?? 0),
): void {
  const received = Number(headers['content-length'] ?? 0);
  if (received > 0) count({ class: 'traffic', name: 'bytes_in', count: received });
  if (sentBytes > 0 && method !== 'HEAD') count({ class: 'traffic', name: 'bytes_out', count: sentBytes });
}
