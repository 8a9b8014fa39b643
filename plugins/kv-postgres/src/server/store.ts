/** What is special about a PostgreSQL table as a key-value store. Predicates are the value bytes. */

import { absent, present } from '@srv/kernel';
import { expectedBytes } from '@srv/lib-stores/kv';
import { StatementBatcher } from './statement-batcher.js';
import { statementsOf } from './statements.js';
import type { Condition, KvEntry, KvRecord, KvValue } from '@srv/kernel';
import type { DriverScan, KvDriver } from '@srv/lib-stores/kv';
import type { Connections } from './connections.js';
import type { Statement, Statements } from './statements.js';

/** Bounds of a page of a scan. The bytes are those of the values; the last one of a page may exceed them. */
const maxPageEntries = 4000;
const maxPageBytes = 1 << 20;

export class PostgresDriver implements KvDriver {
  readonly type = 'postgres';
  readonly isShared = true;
  readonly #connections: Connections;
  readonly #statements: Statements;
  readonly #batcher: StatementBatcher;

  /** @param table its name, unquoted. */
  constructor(connections: Connections, table: string) {
    this.#connections = connections;
    this.#statements = statementsOf(table);
    this.#batcher = new StatementBatcher(connections, this.#statements);
  }

  async get(partition: string, key: Buffer, signal: AbortSignal | undefined): Promise<KvValue | undefined> {
    const value = signal
      ? (await this.#connections.read(this.#statements.get, [Buffer.from(partition), key], signal))[0]?.[0]
      : await this.#batcher.get(partition, key);
    return value && { value, predicate: { kvPredicate: value } };
  }

  async set(partition: string, key: Buffer, value: Buffer, signal: AbortSignal | undefined): Promise<void> {
    if (signal) await this.#connections.write(this.#statements.set, [Buffer.from(partition), key, value], signal);
    else await this.#batcher.set(partition, key, value);
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal: AbortSignal | undefined): Promise<boolean> {
    if (condition === absent && !signal) return this.#batcher.insert(partition, key, value);
    const { insert, update, replace } = this.#statements;
    const [statement, ...expected] = conditional(condition, insert, update, replace);
    return (await this.#connections.write(statement, [Buffer.from(partition), key, value, ...expected], signal)).count === 1;
  }

  async setIfWith({ partition, key, value }: KvRecord, condition: Condition, further: readonly KvRecord[]): Promise<boolean> {
    const { insertWith, updateWith, replaceWith } = this.#statements;
    const [statement, ...expected] = conditional(condition, insertWith, updateWith, replaceWith);
    const columns = [
      further.map(record => Buffer.from(record.partition)),
      further.map(record => record.key),
      further.map(record => record.value),
    ];
    return (await this.#connections.write(statement, [Buffer.from(partition), key, value, ...columns, ...expected])).count === 1;
  }

  async delete(partition: string, key: Buffer, signal: AbortSignal | undefined): Promise<void> {
    if (signal) await this.#connections.write(this.#statements.delete, [Buffer.from(partition), key], signal);
    else await this.#batcher.delete(partition, key);
  }

  async *scan(partition: string, { start, batchSize, signal }: DriverScan): AsyncGenerator<readonly KvEntry[]> {
    const partitionKey = Buffer.from(partition);
    let [statement, from] = [this.#statements.scanFrom, start];
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

  close(): Promise<void> {
    return this.#connections.close();
  }
}

function conditional(condition: Condition, insert: Statement, update: Statement, replace: Statement): readonly [Statement, ...Buffer[]] {
  if (condition === absent) return [insert];
  if (condition === present) return [update];
  return [replace, expectedBytes(condition)];
}
