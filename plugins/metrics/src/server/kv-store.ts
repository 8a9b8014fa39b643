/** A key-value store that measures its operations, and otherwise delegates to the wrapped store. */

import { secondsSince } from './elapsed.js';
import { measuredPages } from './pages.js';
import type { Condition, KvEntry, KvRecord, KvStore, KvValue, ScanOptions } from '@srv/kernel';
import type { Counter, Histogram, Metrics } from '@srv/kernel/metrics';

const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class MeasuredKvStore implements KvStore {
  readonly #store: KvStore;
  readonly #get: Operation;
  readonly #set: Operation;
  readonly #setIf: Operation;
  readonly #delete: Operation;
  readonly #scan: Operation;
  readonly #setIfWith = (record: KvRecord, condition: Condition, further: readonly KvRecord[]): Promise<boolean> =>
    this.#setIf.measure(async () => (await this.#store.setIfWith?.(record, condition, further)) ?? false, isTrue);

  constructor(store: KvStore, metrics: Metrics) {
    this.#store = store;
    const labels = ['type', 'operation'];
    const durations = metrics.histogram({
      name: 'kv_request_duration_seconds',
      help: 'Time of requests to the key-value store; a scan counts once for every page',
      labels,
      buckets,
    });
    const failures = metrics.counter({
      name: 'kv_request_failures_total',
      help: 'Requests to the key-value store that failed, found no key, or whose condition failed',
      labels,
    });
    const operation = (name: string): Operation => new Operation(durations.labels(store.type, name), failures.labels(store.type, name));
    this.#get = operation('Get');
    this.#set = operation('Set');
    this.#setIf = operation('SetIf');
    this.#delete = operation('Delete');
    this.#scan = operation('Scan');
  }

  get isShared(): boolean {
    return this.#store.isShared;
  }

  get isSharedWithPeers(): boolean {
    return this.#store.isSharedWithPeers === true;
  }

  get type(): string {
    return this.#store.type;
  }

  get(partition: string, key: Buffer, signal?: AbortSignal): Promise<KvValue | undefined> {
    return this.#get.measure(() => this.#store.get(partition, key, signal), isFound);
  }

  set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void> {
    return this.#set.measure(() => this.#store.set(partition, key, value, signal));
  }

  setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean> {
    return this.#setIf.measure(() => this.#store.setIf(partition, key, value, condition, signal), isTrue);
  }

  /** Of a store that can. */
  get setIfWith(): KvStore['setIfWith'] {
    return this.#store.setIfWith && this.#setIfWith;
  }

  delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void> {
    return this.#delete.measure(() => this.#store.delete(partition, key, signal));
  }

  scan(partition: string, options?: ScanOptions): AsyncIterable<readonly KvEntry[]> {
    return measuredPages(this.#store.scan(partition, options), step => this.#scan.measure(step));
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

const isFound = (value: KvValue | undefined): boolean => value !== undefined;
const isTrue = (held: boolean): boolean => held;

class Operation {
  readonly #duration: Histogram;
  readonly #failures: Counter;

  constructor(duration: Histogram, failures: Counter) {
    this.#duration = duration;
    this.#failures = failures;
  }

  /** @param isSuccess classifies a result that is not an error. */
  async measure<T>(work: () => Promise<T>, isSuccess?: (value: T) => boolean): Promise<T> {
    const began = performance.now();
    let succeeded = false;
    try {
      const value = await work();
      succeeded = isSuccess?.(value) ?? true;
      return value;
    } finally {
      this.#duration.observe(secondsSince(began));
      if (!succeeded) this.#failures.add();
    }
  }
}
