/** The metrics of a block store, by operation. */

import { secondsSince } from './elapsed.js';
import type { Family, Gauge, Histogram, Metrics } from '@srv/kernel/metrics';

/** Seconds: the default of Prometheus clients. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Bytes. */
const sizeBuckets = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
export class BlockOperations {
  readonly #type: string;
  readonly #storageId: string;
  readonly #concurrent: Family<Gauge>;
  readonly #durations: Family<Histogram>;
  readonly #sizes: Family<Histogram>;

  /** @param storageId empty: the installation has one block store. */
  constructor(type: string, storageId: string, metrics: Metrics) {
    const labels = ['operation', 'storage_id', 'error'];
    this.#type = type;
    this.#storageId = storageId;
    this.#concurrent = metrics.gauge({
      name: 'blockstore_concurrent_operations',
      help: 'Operations of the block store in progress',
      labels: ['operation', 'blockstore_type'],
    });
    this.#durations = metrics.histogram({
      name: `${type}_operation_duration_seconds`,
      help: `Time of operations of the ${type} block store; a read ends when its bytes have been taken`,
      labels,
      buckets: durationBuckets,
    });
    this.#sizes = metrics.histogram({
      name: `${type}_operation_size_bytes`,
      help: `Bytes transferred by operations of the ${type} block store, if known`,
      labels,
      buckets: sizeBuckets,
    });
  }

  get(name: string): BlockOperation {
    const outcome = (error: string): Outcome => ({
      duration: this.#durations.labels(name, this.#storageId, error),
      size: this.#sizes.labels(name, this.#storageId, error),
    });
    return new BlockOperation(this.#concurrent.labels(name, this.#type), outcome('false'), outcome('true'));
  }
}

interface Outcome {
  readonly duration: Histogram;
  readonly size: Histogram;
}

class BlockOperation {
  readonly #concurrent: Gauge;
  readonly #succeeded: Outcome;
  readonly #failed: Outcome;

  constructor(concurrent: Gauge, succeeded: Outcome, failed: Outcome) {
    this.#concurrent = concurrent;
    this.#succeeded = succeeded;
    this.#failed = failed;
  }

  /** @returns what to call, once, when it has ended. `size` counts bytes. */
  begin(): (failed: boolean, size?: number) => void {
    const began = performance.now();
    this.#concurrent.add(1);
    return (failed, size) => {
      this.#concurrent.add(-1);
      const { duration, size: sizes } = failed ? this.#failed : this.#succeeded;
      duration.observe(secondsSince(began));
      if (size !== undefined) sizes.observe(size);
    };
  }

  /** @param size bytes that it moves. */
  async run<T>(work: () => Promise<T>, size?: number): Promise<T> {
    const end = this.begin();
    let failed = true;
    try {
      const value = await work();
      failed = false;
      return value;
    } finally {
      end(failed, size);
    }
  }
}
