/** The key-value contract on a PostgreSQL table. Predicates are the value bytes. */
import { SrvError, absent, checkKey, present } from '@srv/kernel';
import { statementsOf } from './statements.js';
import type { Condition, KvEntry, KvStore, KvValue, ScanOptions } from '@srv/kernel';
import type { Connections } from './connections.js';
import type { Statement, Statements } from './statements.js';

/** Bounds of a page of a scan. The bytes are those of the values; the last one of a page may exceed them. */
const maxPageEntries = 4000;
const maxPageBytes = 1 << 20;

export class PostgresKvStore implements KvStore {
  readonly type = 'postgres';
  readonly #connections: Connections;
  readonly #statements: Statements;

  /** @param table its name, unquoted. */
  constructor(connections: Connections, table: string) {
    this.#connections = connections;
    this.#statements = statementsOf(table);
  }

  async get(partition: string, key: Buffer, signal?: AbortSignal): Promise<KvValue | undefined> {
    checkKey(partition, key);
    const rows = await this.#connections.read(this.#statements.get, [Buffer.from(partition), key], signal);
    const value = rows[0]?.[0];
    return value && { value, predicate: { kvPredicate: value } };
  }

  async set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key, value);
    await this.#connections.write(this.#statements.set, [Buffer.from(partition), key, value], signal);
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean> {
    checkKey(partition, key, value);
    const [statement, ...expected] = this.#conditional(condition);
    return (await this.#connections.write(statement, [Buffer.from(partition), key, value, ...expected], signal)) === 1;
  }

  async delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void> {
    checkKey(partition, key);
    await this.#connections.write(this.#statements.delete, [Buffer.from(partition), key], signal);
  }

  async *scan(partition: string, { start, batchSize, signal }: ScanOptions = {}): AsyncGenerator<readonly KvEntry[]> {
    if (partition === '') throw new SrvError('invalid', 'missing partition key');
    const partitionKey = Buffer.from(partition);
    let [statement, from] = [this.#statements.scanFrom, start ?? Buffer.alloc(0)];
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

  close(): Promise<void> {
    return this.#connections.close();
  }

  #conditional(condition: Condition): readonly [Statement, ...Buffer[]] {
    if (condition === absent) return [this.#statements.insert];
    if (condition === present) return [this.#statements.update];
    const { kvPredicate: expected } = condition;
    if (!Buffer.isBuffer(expected)) throw new SrvError('invalid', 'the predicate was not made by this store; hand back what get returned');
    return [this.#statements.replace, expected];
  }
}
