/** Records of one kind in the key-value store: `<prefix>/<id>` in a partition, listed in byte order of the ids. */

import { SrvError, absent } from '@srv/kernel';
import { pageSize } from './names/index.js';
import { recordsBelow } from './records-below.js';
import type { KvRecord, KvStore, Predicate } from '@srv/kernel';

export interface Page<T> {
  readonly results: readonly T[];
  readonly hasMore: boolean;
  /** Pass as `after` for the next page; empty when `hasMore` is false. */
  readonly nextOffset: string;
}

export interface PageRequest {
  /** Results start with this; absent or empty: all. */
  readonly prefix?: string | undefined;
  /** Exclusive; need not exist. */
  readonly after?: string | undefined;
  /** 1 to 1000; absent: 100. */
  readonly amount?: number | undefined;
}

export interface StoredRecord<T> {
  readonly value: T;
  readonly predicate: Predicate;
}

export interface RecordKind<T> {
  /** First part of the key, such as `branches`. */
  readonly prefix: string;
  /** For messages: `branch`. */
  readonly what: string;
  encode(value: T): Buffer;
  decode(bytes: Buffer): T;
}

export class Records<T> {
  readonly #kv: KvStore;
  readonly #kind: RecordKind<T>;

  constructor(kv: KvStore, kind: RecordKind<T>) {
    this.#kv = kv;
    this.#kind = kind;
  }

  async find(partition: string, id: string): Promise<StoredRecord<T> | undefined> {
    const found = await this.#kv.get(partition, this.#key(id));
    return found && { value: this.#kind.decode(found.value), predicate: found.predicate };
  }

  /** @throws SrvError `not_found`. */
  async get(partition: string, id: string): Promise<StoredRecord<T>> {
    const found = await this.find(partition, id);
    if (!found) throw new SrvError('not_found', `${this.#kind.what} not found`, { details: { [this.#kind.what]: id } });
    return found;
  }

  /** @throws SrvError `not_unique`. */
  async create(partition: string, id: string, value: T): Promise<void> {
    if (!(await this.createIfAbsent(partition, id, value)))
      throw new SrvError('not_unique', `${this.#kind.what} already exists: not unique`, { details: { [this.#kind.what]: id } });
  }

  createIfAbsent(partition: string, id: string, value: T): Promise<boolean> {
    return this.#kv.setIf(partition, this.#key(id), this.#kind.encode(value), absent);
  }

  /**
   * False when the record changed since it was read.
   * @param further records to be written with it; only for stores that can, see {@link KvStore.setIfWith}.
   */
  replace(partition: string, id: string, value: T, predicate: Predicate, further: readonly KvRecord[] = []): Promise<boolean> {
    const record = this.record(partition, id, value);
    if (further.length === 0) return this.#kv.setIf(partition, record.key, record.value, predicate);
    if (!this.#kv.setIfWith) throw new SrvError('internal', `the store ${this.#kv.type} writes one record at a time`);
    return this.#kv.setIfWith(record, predicate, further);
  }

  /** A record as it is stored. */
  record(partition: string, id: string, value: T): KvRecord {
    return { partition, key: this.#key(id), value: this.#kind.encode(value) };
  }

  set(partition: string, id: string, value: T): Promise<void> {
    return this.#kv.set(partition, this.#key(id), this.#kind.encode(value));
  }

  remove(partition: string, id: string): Promise<void> {
    return this.#kv.delete(partition, this.#key(id));
  }

  /** Values in order of ids, from `start` on. */
  async *scan(partition: string, start = '', batchSize?: number): AsyncGenerator<T> {
    const records = recordsBelow(this.#kv, partition, `${this.#kind.prefix}/`, { start, batchSize });
    for await (const { value } of records) yield this.#kind.decode(value);
  }

  /** One page; `wanted` filters before counting. */
  async list(
    partition: string,
    { prefix = '', after = '', amount }: PageRequest,
    idOf: (value: T) => string,
    wanted: (value: T) => boolean | Promise<boolean> = () => true,
  ): Promise<Page<T>> {
    const limit = pageSize(amount);
    const results: T[] = [];
    const from = Buffer.compare(Buffer.from(after), Buffer.from(prefix)) > 0 ? after : prefix;
    for await (const value of this.scan(partition, from, limit + 2)) {
      const id = idOf(value);
      if (!id.startsWith(prefix)) break;
      if (id === after || !(await wanted(value))) continue;
      const last = results.at(-1);
      if (results.length === limit && last !== undefined) return { results, hasMore: true, nextOffset: idOf(last) };
      results.push(value);
    }
    return { results, hasMore: false, nextOffset: '' };
  }

  #key(id: string): Buffer {
    return Buffer.from(`${this.#kind.prefix}/${id}`, 'utf8');
  }
}
