/** The key-value contract on LevelDB. Predicates are the value bytes. */
import { SrvError, checkKey, messageOf, throwIfAborted } from '@srv/kernel';
import { GroupCommit } from './group-commit.js';
import { KnownEnds } from './known-ends.js';
import { RecentRecords } from './recent-records.js';
import { partitionEnd, partitionPrefix, recordKey } from './record-key.js';
import type { Condition, KvEntry, KvRecord, KvStore, KvValue, Logger, ScanOptions } from '@srv/kernel';
import type { RecoveringDatabase } from './recovering-database.js';
import type { Page } from './shared/messages.js';

export interface LocalKvStoreOptions {
  /** Whether a write waits until it is on the disk. */
  readonly syncWrites: boolean;
  /** Entries per page of a scan, from 1; more than 1,000 count as 1,000. */
  readonly prefetchSize: number;
  /** Receives a line per operation. */
  readonly log?: Logger | undefined;
}

/** Bounds of a page: turning it into buffers must not hold the event loop. */
const maxPageEntries = 1000;
const maxPageBytes = 1 << 20;

const noKey = Buffer.alloc(0);
const lastPage: Page = { entries: [], isLast: true };

interface RecordWrite {
  /** For the log. */
  readonly operation: string;
  readonly partition: string;
  readonly key: Buffer;
  /** Absent: the record is deleted. */
  readonly value?: Buffer;
  readonly condition?: Condition;
  /** Written with it, under its condition. */
  readonly further?: readonly KvRecord[];
  readonly signal?: AbortSignal | undefined;
}

export class LocalKvStore implements KvStore {
  readonly type = 'local';
  readonly isShared = false;
  readonly #db: RecoveringDatabase;
  readonly #commits: GroupCommit;
  readonly #pageSize: number;
  readonly #log: Logger | undefined;
  readonly #records: RecentRecords;
  readonly #ends = new KnownEnds();
  #closing: Promise<void> | undefined;

  /** @param db an open database; the store closes it. */
  constructor(db: RecoveringDatabase, { syncWrites, prefetchSize, log }: LocalKvStoreOptions) {
    this.#db = db;
    this.#records = new RecentRecords(db);
    this.#commits = new GroupCommit(this.#records, syncWrites, log);
    this.#pageSize = Math.min(prefetchSize, maxPageEntries);
    this.#log = log;
    // A write whose failure was reported may have reached the disk.
    db.onReopened = () => {
      this.#ends.clear();
      this.#records.clear();
    };
  }

  /** Why nothing can be written now. */
  get problem(): string | undefined {
    const failure = this.#db.failure;
    return failure && messageOf(failure.cause);
  }

  /** Whether {@link valueOf} can be answered; otherwise `get` waits for the database. */
  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  async get(partition: string, key: Buffer, signal?: AbortSignal): Promise<KvValue | undefined> {
    this.#check(signal);
    if (!this.#db.isOpen) await this.#db.untilOpen();
    const value = this.valueOf(partition, key);
    return value && { value, predicate: { kvPredicate: value } };
  }

  /** The value of a key, at once. */
  valueOf(partition: string, key: Buffer): Buffer | undefined {
    checkKey(partition, key);
    this.#check(undefined);
    const isPastEnd = this.#ends.isPastEnd(partition, key);
    const value = isPastEnd ? undefined : this.#records.getSync(recordKey(partition, key));
    if (value === undefined && !isPastEnd && this.#ends.missed(partition)) void this.#look(partition);
    this.#log?.trace({ partition, key: key.toString(), found: value !== undefined }, 'kv get');
    return value;
  }

  async set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key, value);
    await this.#write({ operation: 'kv set', partition, key, value, signal });
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean> {
    checkKey(partition, key, value);
    return this.#write({ operation: 'kv setIf', partition, key, value, condition, signal });
  }

  async setIfWith({ partition, key, value }: KvRecord, condition: Condition, further: readonly KvRecord[]): Promise<boolean> {
    checkKey(partition, key, value);
    for (const record of further) checkKey(record.partition, record.key, record.value);
    return this.#write({ operation: 'kv setIfWith', partition, key, value, condition, further });
  }

  async delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key);
    await this.#write({ operation: 'kv delete', partition, key, signal });
  }

  /** Reads from a snapshot taken when the first page is asked for; from another one after the database was reopened. */
  async *scan(partition: string, { start, batchSize, signal }: ScanOptions = {}): AsyncGenerator<readonly KvEntry[]> {
    if (partition === '') throw new SrvError('invalid', 'missing partition key');
    this.#check(signal);
    let from = start ?? noKey;
    for (let size = batchSize || this.#pageSize; ; size = this.#pageSize) {
      if (!this.#db.isOpen) await this.#db.untilOpen();
      const opening = this.#db.openings;
      try {
        for await (const page of this.#scanOnce(partition, from, size, signal)) {
          yield page;
          const last = page.at(-1);
          if (last) from = Buffer.concat([last.key, Buffer.from([0])]);
        }
        return;
      } catch (error) {
        if (this.#closing) throw closed();
        if (this.#db.isOpen && this.#db.openings === opening) throw error;
      }
    }
  }

  async *#scanOnce(partition: string, start: Buffer, firstSize: number, signal?: AbortSignal): AsyncGenerator<readonly KvEntry[]> {
    if (this.#ends.isPastEnd(partition, start)) return;
    const prefix = partitionPrefix(partition);
    const range = { gte: Buffer.concat([prefix, start]), lt: partitionEnd(prefix) };
    const iterator = this.#db.iterator({ highWaterMarkBytes: maxPageBytes, ...range });
    const scan = this.#ends.begin(partition, start);
    let foundNothing = false;
    try {
      let isFirst = true;
      for (let size = Math.min(firstSize, this.#pageSize); ; size = Math.min(2 * Math.max(size, this.#pageSize), maxPageEntries)) {
        this.#check(signal);
        const records = await iterator.nextv(size);
        if (records.length === 0) {
          foundNothing = isFirst;
          return;
        }
        isFirst = false;
        this.#log?.trace({ partition, entries: records.length }, 'kv scan');
        yield records.map(([key, value]) => ({ key: key.subarray(prefix.length), value }));
      }
    } finally {
      this.#ends.ended(partition, scan, foundNothing);
      await iterator.close();
    }
  }

  /** Finds out whether a partition has records at all: what the scan shows is remembered. */
  async #look(partition: string): Promise<void> {
    try {
      for await (const _ of this.#scanOnce(partition, noKey, 1)) return;
    } catch {
      // Closed, or being reopened: a later look shows it.
    }
  }

  /** Entries from `start` on, without a snapshot that outlives the answer. @param size 0: as many as this store likes. */
  async page(partition: string, start: Buffer, size: number): Promise<Page> {
    if (partition === '') throw new SrvError('invalid', 'missing partition key');
    this.#check(undefined);
    if (this.isEmptyFrom(partition, start)) return lastPage;
    const scan = this.scan(partition, { start, batchSize: size || this.#pageSize });
    const { value: entries } = await scan.next();
    if (!entries) return lastPage;
    const isFull = entries.length >= Math.min(size || this.#pageSize, this.#pageSize);
    const next = isFull ? undefined : await scan.next();
    await scan.return(undefined);
    return { entries, isLast: next?.done === true };
  }

  /** Whether there is certainly no record at `start` and after it. */
  isEmptyFrom(partition: string, start: Buffer): boolean {
    return this.#ends.isPastEnd(partition, start);
  }

  /** Finishes the writes under way. */
  close(): Promise<void> {
    this.#closing ??= this.#commits.drain().then(() => this.#db.close());
    return this.#closing;
  }

  async #write({ operation, partition, key, value, condition, further, signal }: RecordWrite): Promise<boolean> {
    this.#check(signal);
    const written = await this.#commits.write({
      key: recordKey(partition, key),
      value,
      signal,
      condition,
      further: further?.map(record => ({ key: recordKey(record.partition, record.key), value: record.value })),
    });
    if (written && value) this.#ends.wrote(partition, key);
    if (written) for (const record of further ?? []) this.#ends.wrote(record.partition, record.key);
    this.#log?.trace({ partition, key: key.toString(), written }, operation);
    return written;
  }

  #check(signal: AbortSignal | undefined): void {
    if (this.#closing) throw closed();
    throwIfAborted(signal);
  }
}

function closed(): SrvError {
  return new SrvError('closed', 'the key-value store has been closed');
}
