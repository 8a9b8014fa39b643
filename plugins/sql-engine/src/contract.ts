/** SQL over objects and over the index of their metadata. */
import type { Readable } from 'node:stream';
import type { Decision, Permission } from '@srv/kernel';

/**
 * `text`: lines of JSON whose values are all texts, as the engine writes them; exact whatever their types. `lines`: lines of JSON
 * with values of their types; numbers that JSON cannot hold exactly, infinities among them, are texts.
 */
export const resultFormats = ['parquet', 'json', 'csv', 'text', 'lines'] as const;
export type ResultFormat = (typeof resultFormats)[number];

export interface SqlRequest {
  /** One query. */
  readonly sql: string;
  readonly format: ResultFormat;
  /** Further rows are left out. A query fails that then has more rows than `sql_engine.max_rows`. */
  readonly limit?: number | undefined;
  /** Tables of objects show branches with what is not committed. */
  readonly uncommitted?: boolean;
  /** What the caller may do. */
  readonly decide: (permission: Permission) => Promise<Decision>;
  readonly signal?: AbortSignal | undefined;
}

export interface SqlResult {
  readonly rows: number;
  /** Bytes. */
  readonly size: number;
  readonly body: Readable;
}

export interface SqlEngine {
  /** What to install; `undefined` where the engine is installed. */
  missing(): string | undefined;
  /**
   * Runs a query in a process of its own. Destroy the body, also after an error.
   * @throws SrvError `unsupported` without the engine, `invalid` for what the engine refuses and for limits, `denied`, `not_found`,
   * `too_many_tries` when too many queries wait, `timeout`, `storage_full`.
   */
  query(request: SqlRequest): Promise<SqlResult>;
}

declare module '@srv/kernel' {
  interface Services {
    sqlEngine: SqlEngine;
  }
}
