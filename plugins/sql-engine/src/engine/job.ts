/** What the server and the process of a query say to each other. Paths are relative to the folder of the query. */

import type { SystemTable } from '@srv/lib-records/tables/system-tables';
import type { ResultFormat } from '../contract.js';

export type JobTable = SystemJobTable | CatalogJobTable;

interface NamedJobTable {
  /** Schema that has the table alone. */
  readonly schema: string;
  readonly name: string;
}

/** A table of a catalog. */
export interface CatalogJobTable extends NamedJobTable {
  /** What it shows. */
  readonly query: string;
  /** Files of data, whose columns must have ids. */
  readonly files: readonly string[];
}

/** A table of the system schema. */
export interface SystemJobTable extends NamedJobTable {
  readonly columns: SystemTable['columns'];
  readonly file: string;
  readonly format: 'json-lines' | 'parquet';
  /** File of the same table in Parquet that is to be made first. */
  readonly parquet?: string;
}

export interface Job {
  /** URL of the module of the engine. */
  readonly module: string;
  /** Absolute. */
  readonly folder: string;
  readonly threads: number;
  /** Bytes. */
  readonly memory: number;
  /** Bytes that the result and what is spilled may have. */
  readonly disk: number;
  readonly tables: readonly JobTable[];
  readonly sql: string;
  readonly format: ResultFormat;
  /** Rows that are written at most. */
  readonly rows: number;
}

export type JobAnswer =
  | { readonly kind: 'done'; readonly rows: number }
  /** The query is at fault. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'exceeded'; readonly what: 'memory' | 'disk' };

/** The files in Parquet have been made, and nothing of the query has run; the process waits for an answer of any kind. */
export const tablesMade = 'tables made';

/** Of the names of folders in `sql_engine.dir`. */
export const folderPrefix = 'srv-sql-';

/** Folders of a query: what it may read, what it returns, what it spills. */
export const folders = { input: 'in', output: 'out', spill: 'spill' } as const;
export const resultFile = `${folders.output}/result`;
