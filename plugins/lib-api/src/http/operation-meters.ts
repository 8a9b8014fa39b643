/** Requests to a face of the server, by operation: how many are being answered, and how long they took. */
import { concurrentRequests } from '@srv/kernel/metrics';
import type { Family, Gauge, Histogram, HistogramFacts, Metrics } from '@srv/kernel/metrics';

export interface OperationMetersOptions {
  /** First label of the gauge: `api` or `gateway`. */
  readonly service: string;
  /** Time until requests were answered; its labels are `operation` and `code`. */
  readonly durations: Omit<HistogramFacts, 'labels'>;
}

export class OperationMeters {
  readonly #service: string;
  readonly #durations: Family<Histogram>;
  readonly #concurrent: Family<Gauge>;
  readonly #meters = new Map<string, OperationMeter>();

  constructor(metrics: Metrics, { service, durations }: OperationMetersOptions) {
    this.#service = service;
    this.#durations = metrics.histogram({ ...durations, labels: ['operation', 'code'] });
    this.#concurrent = metrics.gauge(concurrentRequests);
  }

  /** @param operation a name the program knows, never a word of a request. */
  of(operation: string): OperationMeter {
    let meter = this.#meters.get(operation);
    if (!meter) {
      meter = new OperationMeter(this.#concurrent.labels(this.#service, operation), code =>
        this.#durations.labels(operation, String(code)),
      );
      this.#meters.set(operation, meter);
    }
    return meter;
  }
}

/** Handles by the numbers requests end with: nothing is put together for each of them. */
export class OperationMeter {
  readonly #concurrent: Gauge;
  readonly #durations: (code: number) => Histogram;
  readonly #byCode = new Map<number, Histogram>();

  constructor(concurrent: Gauge, durations: (code: number) => Histogram) {
    this.#concurrent = concurrent;
    this.#durations = durations;
  }

  begin(): void {
    this.#concurrent.add(1);
  }

  /** Of a request that has begun. */
  end(code: number, seconds: number): void {
    this.#concurrent.add(-1);
    let durations = this.#byCode.get(code);
    if (!durations) {
      durations = this.#durations(code);
      this.#byCode.set(code, durations);
    }
    durations.observe(seconds);
  }
}
