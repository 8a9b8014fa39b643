/** The key-value contract over a driver: what every store checks, awaits and reports in the same way. */
import { setMaxListeners } from 'node:events';
import { SrvError, checkKey, throwIfAborted } from '@srv/kernel';
import { orAborted } from '../async/or-aborted.js';
import type { Condition, KvEntry, KvRecord, KvStore, KvValue, ScanOptions } from '@srv/kernel';
import type { KvDriver } from './driver.js';

/**
 * A store that checks keys, that it is open, and the caller's signal; reports failures as its driver explains them; and waits
 * for what is under way when it closes.
 */
export function createKvStore(driver: KvDriver): KvStore {
  return new DriverStore(driver);
}

class DriverStore implements KvStore {
  readonly type: string;
  readonly isShared: boolean;
  readonly setIfWith: KvStore['setIfWith'];
  readonly #driver: KvDriver;
  #running = 0;
  #idle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(driver: KvDriver) {
    this.type = driver.type;
    this.isShared = driver.isShared;
    this.setIfWith = driver.setIfWith && ((record, condition, further) => this.#setIfWith(record, condition, further));
    this.#driver = driver;
  }

  async get(partition: string, key: Buffer, signal?: AbortSignal): Promise<KvValue | undefined> {
    checkKey(partition, key);
    return this.#run(signal, () => this.#driver.get(partition, key, signal));
  }

  async set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key, value);
    await this.#run(signal, () => this.#driver.set(partition, key, value, signal));
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean> {
    checkKey(partition, key, value);
    return this.#run(signal, () => this.#driver.setIf(partition, key, value, condition, signal));
  }

  async delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key);
    await this.#run(signal, () => this.#driver.delete(partition, key, signal));
  }

  async *scan(partition: string, { start, batchSize, signal }: ScanOptions = {}): AsyncGenerator<readonly KvEntry[]> {
    if (partition === '') throw new SrvError('invalid', 'missing partition key');
    this.#checkOpen(signal);
    const options = { start: start ?? Buffer.alloc(0), batchSize: batchSize || undefined, signal };
    const pages = this.#driver.scan(partition, options)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const page = await this.#run(signal, () => pages.next());
        if (page.done) return;
        yield page.value;
      }
    } finally {
      const ending = pages.return?.();
      if (this.#driver.abandonsAborted) ending?.catch(() => undefined);
      else await ending;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#settled().then(() => this.#driver.close());
    return this.#closing;
  }

  async #setIfWith(record: KvRecord, condition: Condition, further: readonly KvRecord[]): Promise<boolean> {
    for (const { partition, key, value } of [record, ...further]) checkKey(partition, key, value);
    return this.#run(undefined, async () => (await this.#driver.setIfWith?.(record, condition, further)) ?? false);
  }

  async #settled(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>(resolve => {
      this.#idle = resolve;
    });
  }

  async #run<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    this.#checkOpen(signal);
    // One signal may stand for any number of requests at a time.
    if (signal) setMaxListeners(0, signal);
    const answer = this.#counted(work);
    try {
      return await (this.#driver.abandonsAborted ? orAborted(answer, signal) : answer);
    } catch (error) {
      if (!this.#driver.explain) throw error;
      throwIfAborted(signal);
      throw this.#driver.explain(error);
    }
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work();
    } finally {
      if (--this.#running === 0) this.#idle?.();
    }
  }

  #checkOpen(signal: AbortSignal | undefined): void {
    if (this.#closing) throw new SrvError('closed', 'the key-value store has been closed');
    throwIfAborted(signal);
  }
}
