/** Reports every request that the HTTP API answers to the audit log and the metrics. */
import { randomUUID } from 'node:crypto';
import { countTraffic, endStatus, enterRequest } from '@srv/lib-api/http';
import { auditExchange } from './audit.js';
import { discardAfter } from './unread-body.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Activity } from '@srv/kernel';
import type { Exchange } from '@srv/lib-api/http';
import type { AuditLog } from '@srv/logging/contract';
import type { ApiMeter, OperationUnderWay } from './meter.js';

interface ExchangeLogParts {
  readonly secure: boolean;
  readonly audit: AuditLog;
  readonly meter: ApiMeter;
  readonly count: (activity: Activity) => void;
}

export class ExchangeLog {
  readonly #parts: ExchangeLogParts;

  constructor(parts: ExchangeLogParts) {
    this.#parts = parts;
  }

  /** The line is written when the answer is complete, or the caller has left. */
  begin(request: IncomingMessage, response: ServerResponse, service?: string): LoggedExchange {
    const exchange = new LoggedExchange(request, response, this.#parts, service);
    response.once('close', () => exchange.end());
    discardAfter(request, response);
    enterRequest(exchange);
    return exchange;
  }
}

export class LoggedExchange implements Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId = randomUUID();
  // Read at once: when the line is written the connection may be gone, and an HTTP/2 one then throws.
  readonly remoteAddress: string;
  readonly remotePort: number | undefined;
  /** The face that answers, as the line names it. */
  readonly service: string;
  user: string | undefined;
  operationId: string | undefined;
  /** Bytes of the answer's body. */
  sentBytes: number | undefined;
  /** Logs nothing. */
  skipAudit = false;
  readonly #parts: ExchangeLogParts;
  readonly #began = performance.now();
  #underWay: OperationUnderWay | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, parts: ExchangeLogParts, service = 'rest_api') {
    this.service = service;
    this.request = request;
    this.response = response;
    this.#parts = parts;
    const { remoteAddress = '', remotePort } = request.socket;
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  get secure(): boolean {
    return this.#parts.secure;
  }

  /** The operation is known. */
  name(operationId: string): void {
    this.operationId = operationId;
    this.#underWay = this.#parts.meter.begin(operationId);
  }

  /** The answer is about to begin. @param status of it. */
  answering(status: number): void {
    if (status < 300) this.#underWay?.firstByte?.observe(this.#seconds());
  }

  end(): void {
    if (this.skipAudit) return;
    const status = endStatus(this.request, this.response);
    const seconds = this.#seconds();
    this.#parts.meter.end(this.#underWay, this.request.method ?? '', status, seconds);
    countTraffic(this.request, this.response, this.#parts.count, this.sentBytes);
    auditExchange(this, { status, seconds }, this.#parts.audit);
  }

  #seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }
}
