/** Metrics of queries. */
import { isSrvError } from '@srv/kernel';
import type { Metrics } from '@srv/kernel/metrics';
import type { SqlResult } from '../contract.js';

export class QueryMeter {
  readonly #metrics: Metrics;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  async measure(run: () => Promise<SqlResult>): Promise<SqlResult> {
    const durations = this.#metrics.histogram({
      name: 'sql_query_duration_seconds',
      help: 'Queries on the server, until the result is ready',
      labels: ['outcome'],
    });
    const rows = this.#metrics.counter({ name: 'sql_query_rows_total', help: 'Rows that queries on the server returned' }).labels();
    const start = performance.now();
    const end = (outcome: string): void => durations.labels(outcome).observe((performance.now() - start) / 1000);
    try {
      const result = await run();
      rows.add(result.rows);
      end('success');
      return result;
    } catch (error) {
      end(isSrvError(error, 'timeout') ? 'timeout' : isSrvError(error, 'unavailable') ? 'crash' : 'refused');
      throw error;
    }
  }
}
