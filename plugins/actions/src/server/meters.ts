/** Metrics of hooks. */
import type { Counter, Family, Gauge, Histogram, Metrics } from '@srv/kernel/metrics';

/** Seconds. */
const buckets = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800];

export class HookMeters {
  readonly #runs: Family<Counter>;
  readonly #durations: Family<Histogram>;
  readonly #waiting: Gauge;

  constructor(metrics: Metrics) {
    this.#runs = metrics.counter({ name: 'lakefs_hook_runs_total', help: 'Action hooks by result', labels: ['type', 'result'] });
    this.#durations = metrics.histogram({
      name: 'lakefs_hook_duration_seconds',
      help: 'Duration of hooks',
      labels: ['type'],
      buckets,
    });
    this.#waiting = metrics.gauge({ name: 'lakefs_hook_events_waiting', help: 'post- events whose hooks have not started' }).labels();
  }

  /** @param type one that a plugin offers. */
  hook(type: string, result: 'passed' | 'failed' | 'skipped', milliseconds: number): void {
    this.#runs.labels(type, result).add();
    if (result !== 'skipped') this.#durations.labels(type).observe(milliseconds / 1000);
  }

  waiting(change: 1 | -1): void {
    this.#waiting.add(change);
  }
}
