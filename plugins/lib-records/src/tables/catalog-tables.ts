/** Tables of a catalog that SQL reads, as `repository.ref.namespace.table`: their files, and which rows of them are deleted. */
import type { Readable } from 'node:stream';
import type { Permission } from '@srv/kernel';

export interface CatalogTables {
  /** @param name the parts of its namespace, and its own. @returns `undefined` where there is no such table. */
  find(repository: string, ref: string, name: readonly string[]): Promise<CatalogTable | undefined>;
}

export interface CatalogTable {
  /** What reading it takes. */
  readonly permission: Permission;
  /** Its rows at this moment. @throws SrvError `unsupported` for what cannot be read, `corrupt`, `invalid` for too many files. */
  scan(signal: AbortSignal | undefined): Promise<TableScan>;
}

export interface TableScan {
  /** In order. */
  readonly columns: readonly ScanColumn[];
  /** Columns that the table has no more, and that deletions name. */
  readonly formerColumns: readonly ScanColumn[];
  readonly groups: readonly ScanGroup[];
}

export interface ScanColumn {
  /** By which the files know it, whatever its name was when they were written. */
  readonly id: number;
  readonly name: string;
  /** Of SQL. */
  readonly type: string;
  /** Value of rows in files that were written before there was the column; absent: null. */
  readonly initial?: string;
}

/** Parquet files whose rows are deleted in the same way. */
export interface ScanGroup {
  readonly data: readonly ScanFile[];
  /** Files with pairs of the address of a data file and the position of a row, from 0. */
  readonly positions: readonly ScanFile[];
  /** Positions of rows, by address of the data file. */
  readonly vectors: ReadonlyMap<string, readonly number[]>;
  /** Rows that have the same values as one of these are deleted. */
  readonly equal: readonly EqualRows[];
}

interface EqualRows {
  readonly file: ScanFile;
  /** Ids of the columns that are compared. */
  readonly columns: readonly number[];
}

export interface ScanFile {
  readonly address: string;
  open(signal: AbortSignal | undefined): Promise<Readable>;
}

declare module '@srv/kernel' {
  interface Services {
    catalogTables: CatalogTables;
  }
}
