/** Derives the key-value contract from the few things only the backend knows. */
import { absent, present, throwIfAborted } from '@srv/kernel';
import { KeyedLock } from '../async/keyed-lock.js';
import { createKvStore } from './create-kv-store.js';
import type { Condition, KvEntry, KvStore, KvValue } from '@srv/kernel';
import type { DriverScan, KvDriver } from './driver.js';

/** What is special about a backend. Values are durable when the promise of a write resolves. */
export interface KvBackend {
  /** The `database.type` it serves. */
  readonly type: string;
  get(partition: string, key: Buffer): Promise<Buffer | undefined> | Buffer | undefined;
  set(partition: string, key: Buffer, value: Buffer): Promise<void> | void;
  /** An absent key is not an error. */
  delete(partition: string, key: Buffer): Promise<void> | void;
  /** Entries in unsigned byte order of the keys, from the first key that is not below `start`. Need not be a snapshot. */
  entries(partition: string, start: Buffer): AsyncIterable<KvEntry> | Iterable<KvEntry>;
  /**
   * Writes when `expected` is the stored value (`undefined`: the key is absent), in one step of the backend. Absent: this
   * process is the only writer, and the store compares and writes under a lock of its own.
   * @returns whether it wrote.
   */
  compareAndSet?(partition: string, key: Buffer, value: Buffer, expected: Buffer | undefined): Promise<boolean>;
  close?(): Promise<void> | void;
}

/** Entries of a page that is not the first, when the caller does not say. */
const defaultPageSize = 1000;

/**
 * A store that passes `testKvStore`: keys are checked, values copied, writes of one key queued, scans paged, and
 * `close` waits for what is under way.
 * @example
 * hooks.openKvStore.for('map').tapPromise('kv-map', async () => defineKvStore({ type: 'map', get, set, delete, entries }));
 */
export function defineKvStore(backend: KvBackend): KvStore {
  return createKvStore(new BackendDriver(backend));
}

class BackendDriver implements KvDriver {
  readonly type: string;
  readonly isShared: boolean;
  readonly #backend: KvBackend;
  /** Writes of one key run one after the other. */
  readonly #writes = new KeyedLock();

  constructor(backend: KvBackend) {
    this.type = backend.type;
    this.isShared = backend.compareAndSet !== undefined;
    this.#backend = backend;
  }

  async get(partition: string, key: Buffer): Promise<KvValue | undefined> {
    const value = await this.#backend.get(partition, key);
    return value && { value: Buffer.from(value), predicate: { kvPredicate: Buffer.from(value) } };
  }

  async set(partition: string, key: Buffer, value: Buffer): Promise<void> {
    await this.#write(partition, key, () => this.#backend.set(partition, key, Buffer.from(value)));
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition): Promise<boolean> {
    return this.#write(partition, key, async () => {
      const { compareAndSet } = this.#backend;
      for (;;) {
        const current = condition === absent ? undefined : (expectedOf(condition) ?? (await this.#backend.get(partition, key)));
        if (condition === present && current === undefined) return false;
        if (compareAndSet) {
          if (await compareAndSet.call(this.#backend, partition, key, Buffer.from(value), current)) return true;
          // Another process changed the value between the read and the write, and the key may still be there.
          if (condition === present) continue;
          return false;
        }
        if (!equal(await this.#backend.get(partition, key), current)) return false;
        await this.#backend.set(partition, key, Buffer.from(value));
        return true;
      }
    });
  }

  async delete(partition: string, key: Buffer): Promise<void> {
    await this.#write(partition, key, () => this.#backend.delete(partition, key));
  }

  async *scan(partition: string, { start, batchSize, signal }: DriverScan): AsyncGenerator<readonly KvEntry[]> {
    let size = batchSize ?? defaultPageSize;
    let page: KvEntry[] = [];
    for await (const { key, value } of this.#backend.entries(partition, start)) {
      throwIfAborted(signal);
      page.push({ key: Buffer.from(key), value: Buffer.from(value) });
      if (page.length < size) continue;
      yield page;
      [page, size] = [[], defaultPageSize];
    }
    if (page.length > 0) yield page;
  }

  close(): Promise<void> | void {
    return this.#backend.close?.();
  }

  #write<T>(partition: string, key: Buffer, work: () => Promise<T> | T): Promise<T> {
    return this.#writes.run(`${partition}\n${key.toString('latin1')}`, async () => work());
  }
}

/** The value a predicate expects. */
function expectedOf(condition: Condition): Buffer | undefined {
  if (condition === absent || condition === present) return undefined;
  return Buffer.isBuffer(condition.kvPredicate) ? condition.kvPredicate : undefined;
}

function equal(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}
