/** A table in a file, whatever its format: what every view and every difference of tables reads. */

/** A value as text, exactly as it is stored; `null` if it is missing, as opposed to an empty text. */
export type Cell = string | null;

/** What a value is sorted by: numbers by size, texts by their code units. */
export type Order = number | bigint | string | null;

export interface TableColumn {
  /** As the file has it; not always unique. */
  readonly name: string;
  /** For people, such as `decimal(9,2)`; absent where the format has no types. */
  readonly type?: string;
  readonly isNumeric: boolean;
  /** Of a stored value. */
  text(value: unknown): Cell;
  order(value: unknown): Order;
  /** The order of a text that people type; `undefined` where it can be compared as a text only. */
  readonly orderOfText?: ((text: string) => Order | undefined) | undefined;
  /** Stored values that are quicker to compare than their texts. */
  readonly stored?: StoredValues | undefined;
  /** Text of a number that is an order, such as a limit of a histogram; absent where orders are texts. */
  readonly label?: ((order: number) => string) | undefined;
}

interface StoredValues {
  /** Columns with the same one store equal values in the same way. */
  readonly type: string;
  /** Equal for equal values, and only for them. */
  name(value: unknown): Cell;
}

/** Rows next to each other, column by column. */
export interface Batch {
  /** Number of the first row. */
  readonly start: number;
  readonly count: number;
  /** Stored values of the columns that were asked for, in that order. */
  readonly values: readonly ArrayLike<unknown>[];
  /** Part of the whole that has been read, 0 to 1. */
  readonly share: number;
}

export interface TableFile {
  readonly columns: readonly TableColumn[];
  /** `undefined` until all of the file has been read once. */
  readonly total: number | undefined;
  /** What people should know about how it was read. */
  readonly notes: readonly string[];
  /** @param columns places in `columns`. @returns as many rows as there are from `start` to before `end`. */
  cells(start: number, end: number, columns: readonly number[]): Promise<Cell[][]>;
  /** All rows, in order. Memory is bounded by the batches. */
  scan(columns: readonly number[]): AsyncGenerator<Batch>;
  /** What the file itself says about its columns without being read: empty where it says nothing. */
  readonly facts: readonly ColumnFacts[];
}

/** Of one column. */
export interface ColumnFacts {
  readonly nulls?: number | undefined;
  readonly least?: Cell | undefined;
  readonly greatest?: Cell | undefined;
}

/** Missing values last, numbers before texts. */
export function compareOrders(a: Order, b: Order): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  if (typeof a !== typeof b && (typeof a === 'string' || typeof b === 'string')) return typeof a === 'string' ? 1 : -1;
  if (a < b) return -1;
  if (a > b) return 1;
  // Not comparable: NaN, after all numbers.
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}
