/** What the commands need of a metastore, whichever kind it is. */
import type { Database, Partition, Table } from './tables.js';

export type MetastoreType = 'hive' | 'glue';

/** All methods throw {@link MetastoreError}, or an error of the network. */
export interface Metastore {
  readonly type: MetastoreType;
  /** `undefined` when the table or the database does not exist. */
  getTable(database: string, table: string): Promise<Table | undefined>;
  createTable(table: Table): Promise<void>;
  /** Replaces the table of that name. */
  alterTable(table: Table): Promise<void>;
  /** Names in the pattern language of the metastore: Hive knows `*` and `|`, Glue regular expressions. */
  listTables(database: string, pattern: string): Promise<readonly string[]>;
  /** All partitions, page by page. */
  partitions(database: string, table: string): AsyncIterable<readonly Partition[]>;
  getPartition(database: string, table: string, values: readonly string[]): Promise<Partition | undefined>;
  /** Of one table; none of them exists. */
  addPartitions(partitions: readonly Partition[]): Promise<void>;
  /** Of one table; all of them exist. */
  alterPartitions(partitions: readonly Partition[]): Promise<void>;
  /** Forgets a partition; its data stay. */
  dropPartition(database: string, table: string, values: readonly string[]): Promise<void>;
  getDatabase(name: string): Promise<Database | undefined>;
  listDatabases(pattern: string): Promise<readonly string[]>;
  /** @throws MetastoreError of kind `exists`. */
  createDatabase(database: Database): Promise<void>;
  close(): void;
}

/** A refusal of a metastore. */
export class MetastoreError extends Error {
  readonly kind: 'exists' | 'missing' | 'other';

  constructor(kind: MetastoreError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MetastoreError';
    this.kind = kind;
  }
}

/** Splits what is sent in one request. */
export function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
