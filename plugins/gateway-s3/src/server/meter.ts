/** Metrics of the gateway, by what a request is about and its method: known before anybody knows who asks. */
import { concurrentRequests } from '@srv/metrics/contract';
import type { Family, Gauge, Histogram, Metrics } from '@srv/metrics/contract';
import type { Target } from '../protocol/address.js';

type Labels = Readonly<Record<string, string>>;

/** Names that dashboards know; sub-resources count with the plain operation. */
const labels: Readonly<Record<Target['kind'], Labels>> = {
  service: { GET: 'list_buckets' },
  bucket: { GET: 'list_objects', HEAD: 'head_bucket', PUT: 'put_bucket', POST: 'delete_objects', DELETE: 'unsupported' },
  object: { GET: 'get_object', HEAD: 'head_object', PUT: 'put_object', POST: 'post_object', DELETE: 'delete_object' },
  nothing: {},
};
const notFound = 'not_found';

/** @param target `undefined` for a path that cannot be read. */
export function metricsLabel(target: Target | undefined, method: string): string {
  const ofTarget = target ? labels[target.kind] : {};
  return (Object.hasOwn(ofTarget, method) ? ofTarget[method] : undefined) ?? notFound;
}

/** Ends a measurement. */
export type End = (code: number, seconds: number) => void;

export class GatewayMeter {
  readonly #durations: Family<Histogram>;
  readonly #concurrent: Family<Gauge>;
  readonly #operations = new Map<string, OperationMeter>();

  constructor(metrics: Metrics) {
    this.#durations = metrics.histogram({
      name: 'gateway_request_duration_seconds',
      help: 'Time of requests to the S3 gateway until they were answered, refused ones included',
      labels: ['operation', 'code'],
    });
    this.#concurrent = metrics.gauge(concurrentRequests);
  }

  /** Counts a request as being answered until the result is called. */
  begin(target: Target | undefined, method: string): End {
    const label = metricsLabel(target, method);
    let meter = this.#operations.get(label);
    if (!meter) {
      meter = new OperationMeter(this.#concurrent.labels('gateway', label), code => this.#durations.labels(label, String(code)));
      this.#operations.set(label, meter);
    }
    return meter.begin();
  }
}

class OperationMeter {
  readonly #concurrent: Gauge;
  readonly #durations: (code: number) => Histogram;
  readonly #byCode = new Map<number, Histogram>();
  readonly #end: End;

  constructor(concurrent: Gauge, durations: (code: number) => Histogram) {
    this.#concurrent = concurrent;
    this.#durations = durations;
    this.#end = (code, seconds) => {
      this.#concurrent.add(-1);
      this.#duration(code).observe(seconds);
    };
  }

  begin(): End {
    this.#concurrent.add(1);
    return this.#end;
  }

  #duration(code: number): Histogram {
    let found = this.#byCode.get(code);
    if (!found) {
      found = this.#durations(code);
      this.#byCode.set(code, found);
    }
    return found;
  }
}
