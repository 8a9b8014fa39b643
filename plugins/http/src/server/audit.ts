/** One line per finished request. Field names are read by log pipelines. */
import { clientName, sourceText } from '@srv/lib-api/http';
import type { Exchange } from '@srv/lib-api/http';
import type { AuditLog } from '@srv/logging/contract';

/** What the line says about a request. */
interface AuditedExchange extends Exchange {
  /** The face that answered. */
  readonly service: string;
  readonly remotePort: number | undefined;
  readonly operationId: string | undefined;
  /** Bytes of the answer's body. */
  readonly sentBytes: number | undefined;
}

interface End {
  readonly status: number;
  readonly seconds: number;
}

export function auditExchange(exchange: AuditedExchange, { status, seconds }: End, write: AuditLog): void {
  write(() => {
    const { request, response, operationId, user } = exchange;
    const { headers } = request;
    return {
      path: request.url ?? '',
      method: request.method ?? '',
      host: headers.host ?? '',
      took: Math.round(seconds * 1e9),
      took_str: `${Math.round(seconds * 1e3)}ms`,
      status_code: status,
      sent_bytes: exchange.sentBytes ?? Number(response.getHeader('content-length') ?? 0),
      source_ip: sourceText(exchange.remoteAddress, exchange.remotePort, headers),
      ...(operationId === undefined ? {} : { operation_id: operationId }),
      ...(user === undefined ? {} : { user }),
      client: clientName(headers),
      request_id: exchange.requestId,
      service_name: exchange.service,
    };
  }, 'HTTP call ended');
}
