/** One line per finished request, with the fields of the HTTP API's lines. */

import { clientName, countTraffic, endStatus, sourceText } from '@srv/lib-api/http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Activity, User } from '@srv/kernel';
import type { OperationMeter } from '@srv/lib-api/http';
import type { AuditLog } from '@srv/logging/contract';

export interface AccessFacts {
  readonly requestId: string;
  operation?: string;
  user?: User;
  /** Ends when the line is written. */
  meter?: OperationMeter;
}

interface AccessListeners {
  readonly audit: AuditLog;
  readonly count: (activity: Activity) => void;
}

/** Writes the line when the answer is complete, or the client has left. The query may hold signatures: it is left out. */
export function logAccess(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  facts: AccessFacts,
  { audit, count }: AccessListeners,
): void {
  const began = process.hrtime.bigint();
  // Read at once: an HTTP/2 connection that is gone has no address.
  const { remoteAddress = '', remotePort } = request.socket;
  response.once('close', () => {
    const took = Number(process.hrtime.bigint() - began);
    const status = endStatus(request, response);
    facts.meter?.end(status, took / 1e9);
    countTraffic(request, response, count);
    audit(
      () => ({
        path: (request.url ?? '').replace(/\?.*$/s, ''),
        method: request.method ?? '',
        host: request.headers.host ?? '',
        took,
        took_str: `${Math.round(took / 1e6)}ms`,
        status_code: status,
        sent_bytes: Number(response.getHeader('content-length') ?? 0),
        source_ip: sourceText(remoteAddress, remotePort, request.headers),
        ...(facts.operation === undefined ? {} : { operation_id: facts.operation }),
        ...(facts.user === undefined ? {} : { user: facts.user.username }),
        client: clientName(request.headers),
        request_id: facts.requestId,
        service_name: 's3_gateway',
      }),
      'HTTP call ended',
    );
  });
}
