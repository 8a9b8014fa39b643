/**
 * How plugins measure. Declare a metric once, keep the result of `labels`, and the hot path only adds to a number:
 *
 * ```ts
 * const metrics = kernel.services.find('metrics') ?? noopMetrics;
 * const runs = metrics.counter({ name: 'hook_runs_total', help: 'Hooks that ran', labels: ['type', 'status'] });
 * const failed = runs.labels('webhook', 'failure');
 * failed.add();
 * ```
 */
import type {} from '@srv/kernel';

/** Declaration of a metric. A second declaration must be the same; both then share the numbers. */
export interface MetricFacts {
  /** Letters, digits and underscores. A name that begins with `lakefs_` also appears as `srv_…`. */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  /** Names of the labels; default: none. */
  readonly labels?: readonly string[];
}

export interface HistogramFacts extends MetricFacts {
  /** Upper bounds, ascending, without infinity. Default: {@link requestBuckets}. */
  readonly buckets?: readonly number[];
}

export interface Counter {
  /** @param amount from 0; default 1. */
  add(amount?: number): void;
}

export interface Gauge {
  set(value: number): void;
  /** @param amount may be negative. */
  add(amount: number): void;
}

export interface Histogram {
  /** @param value in the unit the name ends with, such as seconds or bytes. */
  observe(value: number): void;
}

/** A metric with labels. */
export interface Family<S> {
  /**
   * The series with these values, in the order of the label names: call it once and keep the result. Values come from
   * a closed set that the program defines, never from a request: each of them is kept forever.
   * @throws SrvError `internal` unless there are as many values as label names.
   */
  labels(...values: readonly string[]): S;
}

export interface Metrics {
  /** @throws SrvError `plugin` for an invalid name, or one that was declared differently. The other methods do the same. */
  counter(facts: MetricFacts): Family<Counter>;
  gauge(facts: MetricFacts): Family<Gauge>;
  histogram(facts: HistogramFacts): Family<Histogram>;
  /** `update` runs before the numbers are read: use it for gauges that are looked up rather than counted. */
  beforeScrape(update: () => void): void;
}

declare module '@srv/kernel' {
  interface Services {
    metrics: Metrics;
  }
}

/** Seconds that requests take. */
export const requestBuckets: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60];

/** Requests in progress; `service` is `api` or `gateway`. */
export const concurrentRequests = {
  name: 'lakefs_concurrent_requests',
  help: 'Requests in progress',
  labels: ['service', 'operation'],
} satisfies MetricFacts;

/** Connections in use by drivers that keep connections open; `service` is the type of the store. */
export const connectionsInUse = {
  name: 'out_in_use_conns',
  help: 'Outgoing connections in use',
  labels: ['service'],
} satisfies MetricFacts;

const nothing = (): void => undefined;
const ignoring = <S>(series: S): Family<S> => ({ labels: () => series });

/** Measures nothing: other plugins use it while `metrics` is disabled. */
export const noopMetrics: Metrics = {
  counter: () => ignoring({ add: nothing }),
  gauge: () => ignoring({ set: nothing, add: nothing }),
  histogram: () => ignoring({ observe: nothing }),
  beforeScrape: nothing,
};
