/**
 * What plugins measure with. Declare once, keep what `labels` returns, and the hot path adds to a number:
 *
 * ```ts
 * const metrics = kernel.services.find('metrics') ?? unmeasured;
 * const runs = metrics.counter({ name: 'hook_runs_total', help: 'Hooks that ran', labels: ['type', 'status'] });
 * const failed = runs.labels('webhook', 'failure');
 * failed.add();
 * ```
 */
import type {} from '@srv/kernel';

/** What a metric is. Declared again it must be the same; then both declarations mean the same numbers. */
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
   * The one series with these values, in the order of the label names: call it once and keep the answer. Values come from
   * a closed set that the program knows, never from a request: every one of them is kept for ever.
   * @throws SrvError `internal` unless there are as many values as label names.
   */
  labels(...values: readonly string[]): S;
}

export interface Metrics {
  /** @throws SrvError `plugin` for a name that is none, or declared before as something else. So do the others. */
  counter(facts: MetricFacts): Family<Counter>;
  gauge(facts: MetricFacts): Family<Gauge>;
  histogram(facts: HistogramFacts): Family<Histogram>;
  /** `update` runs before the numbers are read: the place for gauges that are looked up rather than counted. */
  beforeScrape(update: () => void): void;
}

declare module '@srv/kernel' {
  interface Services {
    metrics: Metrics;
  }
}

/** Seconds that requests take. */
export const requestBuckets: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60];

/** Faces of the server count in it what they are working on; `service` is `api` or `gateway`. */
export const concurrentRequests = {
  name: 'lakefs_concurrent_requests',
  help: 'Requests being answered',
  labels: ['service', 'operation'],
} satisfies MetricFacts;

/** Drivers that keep connections open tell how many are in use; `service` is the type of the store. */
export const connectionsInUse = {
  name: 'out_in_use_conns',
  help: 'Outgoing connections in use',
  labels: ['service'],
} satisfies MetricFacts;

const nothing = (): void => undefined;
const ignoring = <S>(series: S): Family<S> => ({ labels: () => series });

/** Measures nothing: where the plugin is switched off, others go on with this. */
export const unmeasured: Metrics = {
  counter: () => ignoring({ add: nothing }),
  gauge: () => ignoring({ set: nothing, add: nothing }),
  histogram: () => ignoring({ observe: nothing }),
  beforeScrape: nothing,
};
