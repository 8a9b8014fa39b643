/** The key-value contract on a PostgreSQL table. Predicates are the value bytes. */
import { SrvError, absent, checkKey, present } from '@srv/kernel';
import { statementsOf } from './statements.js';
import { StatementBatcher } from './statement-batcher.js';
import type { Condition, KvEntry, KvStore, KvValue, ScanOptions } from '@srv/kernel';
import type { Connections } from './connections.js';
import type { Statement, Statements } from './statements.js';

/** Bounds of a page of a scan. The bytes are those of the values; the last one of a page may exceed them. */
const maxPageEntries = 4000;
const maxPageBytes = 1 << 20;

export class PostgresKvStore implements KvStore {
  readonly type = 'postgres';
  readonly isShared = true;
  readonly #connections: Connections;
  readonly #statements: Statements;
  readonly #batcher: StatementBatcher;
  #closing: Promise<void> | undefined;

  /** @param table its name, unquoted. */
  constructor(connections: Connections, table: string) {
    this.#connections = connections;
    this.#statements = statementsOf(table);
    this.#batcher = new StatementBatcher(connections, this.#statements);
  }

  async get(partition: string, key: Buffer, signal?: AbortSignal): Promise<KvValue | undefined> {
    checkKey(partition, key);
    this.#check();
    const value = signal
      ? (await this.#connections.read(this.#statements.get, [Buffer.from(partition), key], signal))[0]?.[0]
      : await this.#batcher.get(partition, key);
    return value && { value, predicate: { kvPredicate: value } };
  }

  async set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key, value);
    this.#check();
    if (signal) await this.#connections.write(this.#statements.set, [Buffer.from(partition), key, value], signal);
    else await this.#batcher.set(partition, key, value);
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean> {
    checkKey(partition, key, value);
    this.#check();
    if (condition === absent && !signal) return this.#batcher.insert(partition, key, value);
    const [statement, ...expected] = this.#conditional(condition);
    return (await this.#connections.write(statement, [Buffer.from(partition), key, value, ...expected], signal)).count === 1;
  }

  async delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key);
    this.#check();
    if (signal) await this.#connections.write(this.#statements.delete, [Buffer.from(partition), key], signal);
    else await this.#batcher.delete(partition, key);
  }

  async *scan(partition: string, { start, batchSize, signal }: ScanOptions = {}): AsyncGenerator<readonly KvEntry[]> {
    if (partition === '') throw new SrvError('invalid', 'missing partition key');
    this.#check();
    const partitionKey = Buffer.from(partition);
    let [statement, from] = [this.#statements.scanFrom, start ?? Buffer.alloc(0)];
    if (batchSize === 1 && !signal) {
      // A question whether there is anything, which listings ask all the time.
      const [key, value] = (await this.#batcher.first(partition, from)) ?? [];
      if (!key || !value) return;
      yield [{ key, value }];
      [statement, from] = [this.#statements.scanAfter, key];
    }
    for (let limit = Math.min(batchSize || maxPageEntries, maxPageEntries); ; limit = Math.min(2 * limit, maxPageEntries)) {
      const rows = await this.#connections.read(statement, [partitionKey, from, limit, maxPageBytes], signal);
      const page = rows.map(([key, value]) => ({ key, value }) as KvEntry);
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      // A page that neither bound cut short was the last one.
      if (page.length < limit && page.reduce((bytes, { value }) => bytes + value.length, 0) < maxPageBytes) return;
      [statement, from] = [this.#statements.scanAfter, last.key];
    }
  }

  /** Waits for what is under way. */
  close(): Promise<void> {
    this.#closing ??= this.#batcher.drained().then(() => this.#connections.close());
    return this.#closing;
  }

  #check(): void {
    if (this.#closing) throw new SrvError('closed', 'the key-value store has been closed');
  }

  #conditional(condition: Condition): readonly [Statement, ...Buffer[]] {
    if (condition === absent) return [this.#statements.insert];
    if (condition === present) return [this.#statements.update];
    const { kvPredicate: expected } = condition;
    if (!Buffer.isBuffer(expected)) throw new SrvError('invalid', 'the predicate was not made by this store; hand back what get returned');
    return [this.#statements.replace, expected];
  }
}
