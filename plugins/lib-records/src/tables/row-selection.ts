/** Which rows of a table meet a condition, and in which order: found by reading all of them. */
import { compareOrders } from './table-file.js';
import { isNumberText, textOrder } from './text-order.js';
import type { Batch, Cell, Order, TableColumn, TableFile } from './table-file.js';

export const operators = ['contains', '=', '≠', '<', '≤', '>', '≥', 'is null', 'is not null'] as const;
export type Operator = (typeof operators)[number];

export interface Condition {
  /** Place of the column; absent: any of them. */
  readonly column?: number;
  readonly operator: Operator;
  readonly value: string;
}

export interface Sorting {
  readonly column: number;
  readonly isDown: boolean;
}

export interface Wanted {
  readonly conditions: readonly Condition[];
  readonly sorting?: Sorting;
}

/** Rows that are sorted at most; more would not fit into memory. */
const mostSorted = 20_000_000;

/** @returns numbers of rows. @param onProgress share and rows found so far. */
export async function selectRows(
  table: TableFile,
  wanted: Wanted,
  onProgress: (share: number, found: number) => void,
): Promise<Uint32Array> {
  const { conditions, sorting } = wanted;
  const isAny = conditions.some(({ column }) => column === undefined);
  const tested = isAny ? table.columns.map((_, i) => i) : conditions.flatMap(({ column }) => column ?? []);
  const places = [...new Set([...tested, ...(sorting ? [sorting.column] : [])])];
  const known = table.columns.length;
  const tests = conditions.map(condition => rowTest(condition, places, table.columns));
  const sortedColumn = sorting && { column: table.columns[sorting.column], at: places.indexOf(sorting.column) };
  const rows: number[] = [];
  const orders: Order[] = [];
  for await (const batch of table.scan(places)) {
    for (let i = 0; i < batch.count; i++) {
      if (!tests.every(test => test(batch, i))) continue;
      rows.push(batch.start + i);
      if (sortedColumn) orders.push(sortedColumn.column?.order(batch.values[sortedColumn.at]?.[i]) ?? null);
    }
    if (sorting && rows.length > mostSorted) throw new Error(`more than ${mostSorted} rows cannot be sorted here: filter them first`);
    onProgress(batch.share, rows.length);
  }
  // Columns that only the scan has found can have what is looked for in all of them.
  if (isAny && table.columns.length > known) return selectRows(table, wanted, onProgress);
  return sorting ? sortedRows(rows, orders, sorting.isDown) : Uint32Array.from(rows);
}

function sortedRows(rows: readonly number[], orders: readonly Order[], isDown: boolean): Uint32Array {
  const places = Uint32Array.from(rows, (_, i) => i);
  const direction = isDown ? -1 : 1;
  const compare = (a: number, b: number): number => {
    const [left, right] = [orders[a] ?? null, orders[b] ?? null];
    // Missing values are last either way.
    if (left === null || right === null) return Number(left === null) - Number(right === null) || a - b;
    return direction * compareOrders(left, right) || a - b;
  };
  return places.sort(compare).map(place => rows[place] ?? 0);
}

type RowTest = (batch: Batch, row: number) => boolean;

function rowTest({ column, operator, value }: Condition, places: readonly number[], columns: readonly TableColumn[]): RowTest {
  if (column === undefined) {
    const tests = places.map((place, i) => ({ at: i, test: cellTest(columns[place], operator, value) }));
    return (batch, row) => tests.some(({ at, test }) => test(batch.values[at]?.[row]));
  }
  const at = places.indexOf(column);
  const test = cellTest(columns[column], operator, value);
  return (batch, row) => test(batch.values[at]?.[row]);
}

function cellTest(column: TableColumn | undefined, operator: Operator, value: string): (stored: unknown) => boolean {
  if (!column) return () => false;
  const text = (stored: unknown): Cell => column.text(stored);
  if (operator === 'is null') return stored => text(stored) === null;
  if (operator === 'is not null') return stored => text(stored) !== null;
  if (operator === 'contains') {
    const needle = value.toLowerCase();
    return stored => text(stored)?.toLowerCase().includes(needle) ?? false;
  }
  const compare = comparison(column, value);
  const meets: Readonly<Record<'=' | '≠' | '<' | '≤' | '>' | '≥', (compared: number) => boolean>> = {
    '=': compared => compared === 0,
    '≠': compared => compared !== 0,
    '<': compared => compared < 0,
    '≤': compared => compared <= 0,
    '>': compared => compared > 0,
    '≥': compared => compared >= 0,
  };
  return stored => {
    const compared = compare(stored);
    return compared !== undefined && meets[operator](compared);
  };
}

/** Of values that are neither less than a limit nor equal to it nor greater: texts and numbers, and empty texts. */
const incomparable = Number.NaN;

/** How a stored value compares with a text; `undefined` for a missing one, `incomparable` for one that is different and has no order. */
function comparison(column: TableColumn, value: string): (stored: unknown) => number | undefined {
  const limit = column.orderOfText?.(value);
  if (limit !== undefined)
    return stored => {
      const order = column.order(stored);
      if (order === null) return column.text(stored) === null ? undefined : incomparable;
      return typeof order === 'string' ? incomparable : compareOrders(order, limit);
    };
  // Such as a limit with more digits than the values of a column of decimals.
  const bySize = column.isNumeric && isNumberText(value);
  return stored => {
    const cell = column.text(stored);
    if (cell === null) return undefined;
    if (cell === value) return 0;
    if (cell === '') return incomparable;
    if (bySize) return compareOrders(textOrder(cell), textOrder(value));
    return cell < value ? -1 : 1;
  };
}
