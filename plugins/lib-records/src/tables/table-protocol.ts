/** Messages between the page and its worker with tables. */
import type { ColumnSummary } from './column-summary.js';
import type { Wanted } from './row-selection.js';
import type { DiffOptions, TableDiff } from './table-diff.js';
import type { Cell, ColumnFacts } from './table-file.js';
import type { TableFormat } from './table-format.js';

/** An object that is a table. */
export interface TableObject {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly format: TableFormat;
  /** Of a folder: the files that are its table, by their paths. */
  readonly parts?: readonly { readonly path: string; readonly size: number }[] | undefined;
}

export interface ShownColumn {
  readonly name: string;
  readonly type?: string;
  readonly isNumeric: boolean;
  readonly facts?: ColumnFacts;
}

/** What is known of a table without its rows. */
export interface TableShape {
  readonly columns: readonly ShownColumn[];
  readonly total: number | undefined;
  readonly notes: readonly string[];
}

/** The beginning of a text that is too long to be drawn, and the characters it has. */
interface LongCell {
  readonly start: string;
  readonly length: number;
}

/** As a view draws it; `undefined`: there is no such row or column. */
export type ShownCell = Cell | LongCell | undefined;

/** Tables that were opened count from 0. */
export interface Requests {
  readonly open: { readonly input: TableObject; readonly output: TableShape };
  /** Reads what is needed to know all rows and columns. */
  readonly complete: { readonly input: { readonly table: number }; readonly output: TableShape };
  readonly cells: {
    readonly input: { readonly table: number; readonly rows: readonly number[]; readonly columns: readonly number[] };
    readonly output: { readonly cells: readonly (readonly ShownCell[])[]; readonly shape: TableShape };
  };
  /** A text of any length. */
  readonly cell: { readonly input: { readonly table: number; readonly row: number; readonly column: number }; readonly output: Cell };
  readonly select: { readonly input: Wanted; readonly output: Uint32Array };
  /** Each column is reported when it is done. */
  readonly summarize: { readonly input: { readonly columns: readonly number[] }; readonly output: number };
  /** Of the tables 0 and 1. */
  readonly diff: { readonly input: Pick<DiffOptions, 'key'>; readonly output: TableDiff };
}
export type RequestName = keyof Requests;

export interface Progress {
  /** Part that is done, 0 to 1. */
  readonly share: number;
  readonly step?: string;
  /** Rows found so far. */
  readonly found?: number;
  readonly done?: { readonly column: number; readonly summary: ColumnSummary } | undefined;
}

/** What a worker has to know of the server; it cannot see the document. */
export interface TableBoot {
  readonly version: string;
  readonly operations: Readonly<Record<string, readonly unknown[]>>;
  /** Address of the page's root. */
  readonly base: string;
}

export type ToTableWorker =
  | { readonly kind: 'start'; readonly boot: TableBoot }
  | { readonly kind: 'ask'; readonly id: number; readonly name: RequestName; readonly input: Requests[RequestName]['input'] };

export type FromTableWorker =
  | { readonly kind: 'done'; readonly id: number; readonly output: Requests[RequestName]['output'] }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string; readonly status: number | undefined }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'session-over' };
