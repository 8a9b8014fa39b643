/** Metrics of the gateway, by target and method of a request, which are known before the caller is. */
import { OperationMeters } from '@srv/lib-api/http';
import type { Metrics } from '@srv/kernel/metrics';
import type { OperationMeter } from '@srv/lib-api/http';
import type { Target } from './protocol/address.js';

type Labels = Readonly<Record<string, string>>;

/** Names that dashboards know; sub-resources count with the plain operation. */
const labels: Readonly<Record<Target['kind'], Labels>> = {
  service: { GET: 'list_buckets' },
  bucket: { GET: 'list_objects', HEAD: 'head_bucket', PUT: 'put_bucket', POST: 'delete_objects', DELETE: 'unsupported' },
  object: { GET: 'get_object', HEAD: 'head_object', PUT: 'put_object', POST: 'post_object', DELETE: 'delete_object' },
  root: { PUT: 'put_object' },
  nothing: {},
};
const notFound = 'not_found';
/** Uploads by forms are sent to the bucket. */
const formLabel = 'post_object';

/** @param target `undefined` for a path that cannot be read. */
export function metricsLabel(target: Target | undefined, method: string): string {
  const ofTarget = target ? labels[target.kind] : {};
  return (Object.hasOwn(ofTarget, method) ? ofTarget[method] : undefined) ?? notFound;
}

export class GatewayMeter {
  readonly #meters: OperationMeters;

  constructor(metrics: Metrics) {
    this.#meters = new OperationMeters(metrics, {
      service: 'gateway',
      durations: {
        name: 'gateway_request_duration_seconds',
        help: 'Duration of requests to the S3 gateway, including rejected ones',
      },
    });
  }

  /** Counts a request as in progress until its end is reported. @param isForm whether it uploads an object by a form. */
  begin(target: Target | undefined, method: string, isForm = false): OperationMeter {
    const meter = this.#meters.of(isForm ? formLabel : metricsLabel(target, method));
    meter.begin();
    return meter;
  }
}
