/** Metrics of tasks, by kind. */
import type { Counter, Family, Gauge, Histogram, Metrics } from '@srv/kernel/metrics';

/** Seconds. */
const buckets = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

export class TaskMeters {
  readonly #running: Family<Gauge>;
  readonly #durations: Family<Histogram>;
  readonly #expired: Family<Counter>;

  constructor(metrics: Metrics) {
    this.#running = metrics.gauge({
      name: 'lakefs_async_operations_running',
      help: 'Tasks under way on this server',
      labels: ['operation'],
    });
    this.#durations = metrics.histogram({
      name: 'lakefs_async_operation_duration_seconds',
      help: 'Time of tasks until they ended',
      labels: ['operation', 'status'],
      buckets,
    });
    this.#expired = metrics.counter({
      name: 'lakefs_async_operations_expired_total',
      help: 'Tasks found without a server that works on them',
      labels: ['operation'],
    });
  }

  async run<T>(kind: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const running = this.#running.labels(kind);
    let status = 'failure';
    running.add(1);
    try {
      const result = await work();
      status = 'success';
      return result;
    } finally {
      running.add(-1);
      this.#durations.labels(kind, status).observe((performance.now() - began) / 1000);
    }
  }

  expired(kind: string): void {
    this.#expired.labels(kind).add();
  }
}
