/** A key-value store in memory, for tests that need one but are not about one. */
import { absent, checkKey, present } from '../contracts/kv.js';
import { SrvError, throwIfAborted } from '../errors.js';
import type { Condition, KvEntry, KvRecord, KvStore, KvValue, ScanOptions } from '../contracts/kv.js';

const defaultPageSize = 100;

export class MemoryKvStore implements KvStore {
  readonly type: string;
  readonly isShared: boolean;
  /** Partition → key as latin1 text, whose order is byte order → value. */
  readonly #partitions = new Map<string, Map<string, Buffer>>();
  #closed = false;

  /**
   * @param type the `database.type` it stands in for.
   * @param isShared whether it stands in for a database that other processes use.
   */
  constructor(type = 'local', isShared = type !== 'local') {
    this.type = type;
    this.isShared = isShared;
  }

  async get(partition: string, key: Buffer, signal?: AbortSignal): Promise<KvValue | undefined> {
    checkKey(partition, key);
    const value = this.#open(partition, signal).get(key.toString('latin1'));
    return value && { value, predicate: { kvPredicate: value } };
  }

  async set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key, value);
    this.#open(partition, signal).set(key.toString('latin1'), Buffer.from(value));
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean> {
    return this.#setIf({ partition, key, value }, condition, signal);
  }

  /** As of a database of one program; others cannot. */
  get setIfWith(): KvStore['setIfWith'] {
    return this.isShared ? undefined : (record, condition, further) => this.#setIfWith(record, condition, further);
  }

  async #setIfWith(record: KvRecord, condition: Condition, further: readonly KvRecord[]): Promise<boolean> {
    for (const { partition, key, value } of further) checkKey(partition, key, value);
    if (!this.#setIf(record, condition)) return false;
    for (const { partition, key, value } of further) this.#open(partition).set(key.toString('latin1'), Buffer.from(value));
    return true;
  }

  async delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key);
    this.#open(partition, signal).delete(key.toString('latin1'));
  }

  async *scan(partition: string, { start, batchSize, signal }: ScanOptions = {}): AsyncGenerator<readonly KvEntry[]> {
    if (partition === '') throw new SrvError('invalid', 'missing partition key');
    let from = start?.toString('latin1') ?? '';
    for (let size = batchSize || defaultPageSize; ; size = defaultPageSize) {
      const records = this.#open(partition, signal);
      const keys = [...records.keys()].filter(key => key >= from).sort();
      const page = keys.slice(0, size).map(key => ({ key: Buffer.from(key, 'latin1'), value: records.get(key) ?? Buffer.alloc(0) }));
      if (page.length > 0) yield page;
      if (keys.length <= size) return;
      from = keys[size] ?? '';
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #setIf({ partition, key, value }: KvRecord, condition: Condition, signal?: AbortSignal): boolean {
    checkKey(partition, key, value);
    const records = this.#open(partition, signal);
    const current = records.get(key.toString('latin1'));
    if (!holds(condition, current)) return false;
    records.set(key.toString('latin1'), Buffer.from(value));
    return true;
  }

  #open(partition: string, signal?: AbortSignal): Map<string, Buffer> {
    if (this.#closed) throw new SrvError('closed', 'the key-value store has been closed');
    throwIfAborted(signal);
    const records = this.#partitions.get(partition) ?? new Map<string, Buffer>();
    this.#partitions.set(partition, records);
    return records;
  }
}

function holds(condition: Condition, current: Buffer | undefined): boolean {
  if (condition === absent) return current === undefined;
  if (condition === present) return current !== undefined;
  return current !== undefined && Buffer.isBuffer(condition.kvPredicate) && condition.kvPredicate.equals(current);
}
