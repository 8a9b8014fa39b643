/** Differences of two tables, row by row. */
import type { Readable } from 'node:stream';
import type { TableFormat } from '@srv/lib-records/tables/table-format';

export interface RowDiffSide {
  /** Any ref expression. */
  readonly ref: string;
  readonly path: string;
}

export interface RowDiffRequest {
  readonly left: RowDiffSide;
  readonly right: RowDiffSide;
  /** Columns that identify a row; absent: the first column that names each row once, else the whole row. */
  readonly key?: readonly string[] | undefined;
  /** Absent: by the name of the object. */
  readonly format?: TableFormat | undefined;
  /** Rows in the result at most; the summary counts all. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A line of the result: first the schema, then rows, last the summary. */
export type RowDiffLine =
  | {
      readonly type: 'schema';
      readonly key: readonly string[];
      readonly columns: readonly {
        readonly name: string;
        readonly change: 'same' | 'added' | 'removed';
        readonly left_type?: string | undefined;
        readonly right_type?: string | undefined;
      }[];
    }
  | { readonly type: 'added'; readonly right_row: number; readonly row: Readonly<Record<string, string | null>> }
  | { readonly type: 'removed'; readonly left_row: number; readonly row: Readonly<Record<string, string | null>> }
  | {
      readonly type: 'changed';
      /** Numbers of the rows in both tables, from 1. */
      readonly left_row: number;
      readonly right_row: number;
      readonly key: Readonly<Record<string, string | null>>;
      /** Left and right values of the cells that differ. */
      readonly cells: Readonly<Record<string, readonly [string | null, string | null]>>;
    }
  | RowDiffSummary;

export interface RowDiffSummary {
  readonly type: 'summary';
  readonly left_rows: number;
  readonly right_rows: number;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly same: number;
  /** Whether `limit` left rows out. */
  readonly truncated: boolean;
  /** Cells that differ in all changed rows, by column. */
  readonly changed_cells: Readonly<Record<string, number>>;
}

export interface RowDiffs {
  /**
   * JSON lines of {@link RowDiffLine}, and how many bytes they have. Destroy the body, also after an error.
   * @throws SrvError `invalid` for objects that are not tables of the same format, a key that is not a column of both, or objects above
   * the limit; `timeout`; `storage_full`.
   */
  compare(repository: string, request: RowDiffRequest): Promise<{ readonly body: Readable; readonly size: number }>;
}

declare module '@srv/kernel' {
  interface Services {
    rowDiffs: RowDiffs;
  }
}
