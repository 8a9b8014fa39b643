/** A Hive metastore. */
import { MetastoreError, batches } from '../metastore.js';
import { calls } from './calls.js';
import { HiveConnection } from './connection.js';
import type { Metastore } from '../metastore.js';
import type { Database, Partition, Table } from '../tables.js';

/** Partitions that one request carries. */
const batchSize = 500;
/** What the call takes for "all". */
const all = -1;

export class HiveMetastore implements Metastore {
  readonly type = 'hive';
  readonly #connection: HiveConnection;

  /** @param address `host:port`. */
  constructor(address: string, signal: AbortSignal) {
    this.#connection = new HiveConnection(address, signal);
  }

  getTable(dbName: string, tableName: string): Promise<Table | undefined> {
    return orUndefined(this.#connection.call(calls.getTable, { dbName, tableName }));
  }

  async createTable(table: Table): Promise<void> {
    await this.#connection.call(calls.createTable, { table });
  }

  async alterTable(table: Table): Promise<void> {
    await this.#connection.call(calls.alterTable, { ...nameOf(table), table });
  }

  listTables(dbName: string, pattern: string): Promise<readonly string[]> {
    return this.#connection.call(calls.getTables, { dbName, pattern });
  }

  async *partitions(dbName: string, tableName: string): AsyncGenerator<readonly Partition[]> {
    yield await this.#connection.call(calls.getPartitions, { dbName, tableName, max: all });
  }

  getPartition(dbName: string, tableName: string, values: readonly string[]): Promise<Partition | undefined> {
    return orUndefined(this.#connection.call(calls.getPartition, { dbName, tableName, values }));
  }

  async addPartitions(partitions: readonly Partition[]): Promise<void> {
    for (const batch of batches(partitions, batchSize)) await this.#connection.call(calls.addPartitions, { partitions: batch });
  }

  async alterPartitions(partitions: readonly Partition[]): Promise<void> {
    for (const batch of batches(partitions, batchSize)) {
      const [first = {}] = batch;
      await this.#connection.call(calls.alterPartitions, { ...nameOf(first), partitions: batch });
    }
  }

  async dropPartition(dbName: string, tableName: string, values: readonly string[]): Promise<void> {
    await this.#connection.call(calls.dropPartition, { dbName, tableName, values, deleteData: false });
  }

  getDatabase(name: string): Promise<Database | undefined> {
    return orUndefined(this.#connection.call(calls.getDatabase, { name }));
  }

  listDatabases(pattern: string): Promise<readonly string[]> {
    return this.#connection.call(calls.getDatabases, { pattern });
  }

  async createDatabase(database: Database): Promise<void> {
    await this.#connection.call(calls.createDatabase, { database });
  }

  close(): void {
    this.#connection.close();
  }
}

function nameOf({ dbName = '', tableName = '' }: Table | Partition) {
  return { dbName, tableName };
}

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof MetastoreError && error.kind === 'missing') return undefined;
    throw error;
  }
}
