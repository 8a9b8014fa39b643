/** Metrics of the HTTP API. */
import { OperationMeters } from '@srv/lib-api/http';
import type { Counter, Family, Histogram, Metrics } from '@srv/kernel/metrics';
import type { OperationMeter } from '@srv/lib-api/http';

/** Methods that have a label of their own: the word of a request may be any. */
const methods = new Set(['get', 'head', 'put', 'post', 'delete', 'options', 'patch']);
const otherMethods = 'other';
/** Reads of objects, whose first byte counts. */
const streamed = 'getObject';

export interface OperationUnderWay {
  readonly meter: OperationMeter;
  readonly firstByte: Histogram | undefined;
}

/** Handles by the numbers and names requests come with: nothing is put together for each of them. */
export class ApiMeter {
  readonly #requests: Family<Counter>;
  readonly #firstBytes: Family<Histogram>;
  readonly #meters: OperationMeters;
  readonly #operations = new Map<string, OperationUnderWay>();
  readonly #counts = new Map<string, Map<number, Counter>>();

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter({ name: 'api_requests_total', help: 'Requests to the HTTP API', labels: ['code', 'method'] });
    this.#meters = new OperationMeters(metrics, {
      service: 'api',
      durations: {
        name: 'api_request_duration_seconds',
        help: 'Duration of requests to the HTTP API, including rejected ones',
      },
    });
    this.#firstBytes = metrics.histogram({
      name: 'api_request_ttfb_duration_seconds',
      help: 'Time to the first byte when objects are read through the HTTP API',
      labels: ['operation'],
    });
  }

  /** @param operationId of a route. */
  begin(operationId: string): OperationUnderWay {
    let underWay = this.#operations.get(operationId);
    if (!underWay) {
      underWay = {
        meter: this.#meters.of(operationId),
        firstByte: operationId === streamed ? this.#firstBytes.labels(operationId) : undefined,
      };
      this.#operations.set(operationId, underWay);
    }
    underWay.meter.begin();
    return underWay;
  }

  /** @param underWay `undefined`: of no operation. */
  end(underWay: OperationUnderWay | undefined, method: string, code: number, seconds: number): void {
    this.#count(method.toLowerCase(), code);
    underWay?.meter.end(code, seconds);
  }

  #count(given: string, code: number): void {
    const method = methods.has(given) ? given : otherMethods;
    let counts = this.#counts.get(method);
    if (!counts) {
      counts = new Map();
      this.#counts.set(method, counts);
    }
    let count = counts.get(code);
    if (!count) {
      count = this.#requests.labels(String(code), method);
      counts.set(code, count);
    }
    count.add();
  }
}
