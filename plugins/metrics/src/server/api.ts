/** Measures what the HTTP framework answers. */
import { concurrentRequests } from '../contract.js';
import { secondsSince } from './elapsed.js';
import type {} from './hapi.js';
import type { Request, Server } from '@hapi/hapi';
import type { Counter, Family, Gauge, Histogram, Metrics } from '../contract.js';

const callerLeft = 499;
/** Methods that have a label of their own: the word of a request may be any. */
const methods = new Set(['get', 'head', 'put', 'post', 'delete', 'options', 'patch']);
/** Reads of objects, whose first byte counts. */
const streamed = 'getObject';

/** Counts and times requests to routes that are not marked `audit: false`. */
export function measureApi(server: Server, metrics: Metrics): void {
  const meters = new ApiMeters(metrics);
  server.ext('onPreAuth', (request, h) => {
    const facts = request.route.settings.plugins?.http;
    const operationId = (request.method === 'head' ? facts?.headOperationId : undefined) ?? facts?.operationId;
    const operation = operationId === undefined ? undefined : meters.operation(operationId);
    operation?.concurrent.add(1);
    request.app.metrics = { began: performance.now(), ...(operation ? { operation } : {}) };
    return h.continue;
  });
  server.ext('onPreResponse', (request, h) => {
    const { began, operation } = request.app.metrics ?? {};
    if (began !== undefined && request.method === 'get' && isContent(request)) operation?.firstByte?.observe(secondsSince(began));
    return h.continue;
  });
  server.events.on('response', request => {
    if (request.route.settings.plugins?.http?.audit === false) return;
    const code = statusOf(request);
    meters.count(request.method, code);
    const { began, operation } = request.app.metrics ?? {};
    if (began === undefined || !operation) return;
    operation.concurrent.add(-1);
    operation.duration(code).observe(secondsSince(began));
  });
}

/** Handles by the numbers and names requests come with: nothing is put together for each of them. */
class ApiMeters {
  readonly #requests: Family<Counter>;
  readonly #durations: Family<Histogram>;
  readonly #firstBytes: Family<Histogram>;
  readonly #concurrent: Family<Gauge>;
  readonly #operations = new Map<string, OperationMeter>();
  readonly #counts = new Map<string, Map<number, Counter>>();

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter({ name: 'api_requests_total', help: 'Requests to the HTTP API', labels: ['code', 'method'] });
    this.#durations = metrics.histogram({
      name: 'api_request_duration_seconds',
      help: 'Time of requests to the HTTP API until they were answered, refused ones included',
      labels: ['operation', 'code'],
    });
    this.#firstBytes = metrics.histogram({
      name: 'api_request_ttfb_duration_seconds',
      help: 'Time until the answer begins, of reads of objects through the HTTP API',
      labels: ['operation'],
    });
    this.#concurrent = metrics.gauge(concurrentRequests);
  }

  /** @param operationId of a route. */
  operation(operationId: string): OperationMeter {
    let meter = this.#operations.get(operationId);
    if (!meter) {
      meter = new OperationMeter({
        concurrent: this.#concurrent.labels('api', operationId),
        durations: code => this.#durations.labels(operationId, String(code)),
        ...(operationId === streamed ? { firstByte: this.#firstBytes.labels(operationId) } : {}),
      });
      this.#operations.set(operationId, meter);
    }
    return meter;
  }

  count(method: string, code: number): void {
    let counts = this.#counts.get(method);
    if (!counts) {
      counts = new Map();
      // An odd word is not kept: they come from callers.
      if (methods.has(method)) this.#counts.set(method, counts);
    }
    let count = counts.get(code);
    if (!count) {
      count = this.#requests.labels(String(code), methods.has(method) ? method : 'other');
      counts.set(code, count);
    }
    count.add();
  }
}

interface OperationParts {
  readonly concurrent: Gauge;
  readonly durations: (code: number) => Histogram;
  readonly firstByte?: Histogram;
}

export class OperationMeter {
  readonly concurrent: Gauge;
  readonly firstByte: Histogram | undefined;
  readonly #durations: OperationParts['durations'];
  readonly #byCode = new Map<number, Histogram>();

  constructor({ concurrent, durations, firstByte }: OperationParts) {
    this.concurrent = concurrent;
    this.firstByte = firstByte;
    this.#durations = durations;
  }

  duration(code: number): Histogram {
    let found = this.#byCode.get(code);
    if (!found) {
      found = this.#durations(code);
      this.#byCode.set(code, found);
    }
    return found;
  }
}

const isContent = ({ response }: Request): boolean => 'statusCode' in response && response.statusCode < 300;

/** 499 when the caller left before the answer was complete; HTTP/2 tells that to the framework alone. */
function statusOf({ raw: { req, res }, response }: Request): number {
  if ('isBoom' in response && response.output.statusCode === callerLeft) return callerLeft;
  return req.destroyed && !res.writableFinished ? callerLeft : res.statusCode;
}
