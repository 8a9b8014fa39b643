/** Differences of two tables of any size: columns that came and went, rows by a key. Rows are kept as hashes, not as values. */
import { RowHash } from './row-hash.js';
import { RowQueues, noRow } from './row-queues.js';
import { uniqueNames } from './unique-names.js';
import type { Batch, Cell, TableColumn, TableFile } from './table-file.js';

export interface DiffColumn {
  readonly name: string;
  readonly kind: 'same' | 'added' | 'removed';
  /** Places in the tables; absent where a table has no such column. */
  readonly before?: number;
  readonly after?: number;
}

export interface TableDiff {
  /** Those of both sides: the later order, then what is gone. */
  readonly columns: readonly DiffColumn[];
  /** What identifies a row: columns, or the whole row where it is empty. */
  readonly key: readonly string[];
  /** Of rows, by the columns of both sides. */
  readonly counts: { readonly added: number; readonly removed: number; readonly changed: number; readonly same: number };
  /** Rows that differ, in the order of the later table, then those removed; `noRow` where a side has none. */
  readonly before: Uint32Array;
  readonly after: Uint32Array;
}

export interface DiffOptions {
  /** Names of columns that identify a row; absent: they are found. */
  readonly key?: readonly string[];
  /** @param step what is being done. @param share part of it, 0 to 1. */
  readonly onProgress?: (step: string, share: number) => void;
}

/**
 * Bytes that a difference takes beside what is read of the tables, whatever these hold: tables of few bytes may have any number of
 * rows. Check it first: engines allocate all of it at once, and cannot be interrupted meanwhile.
 * @param totals rows of the tables.
 */
export function diffBytes([before, after]: readonly [number, number]): number {
  const numbers = 8 * (before + after);
  const compared = RowQueues.bytesFor(before) + 9 * before + numbers;
  return Math.max(compared, RowQueues.bytesFor(after));
}

/** @param totals rows of the tables; see {@link diffBytes}. */
export async function diffTables(
  before: TableFile,
  after: TableFile,
  totals: readonly [number, number],
  options: DiffOptions = {},
): Promise<TableDiff> {
  const columns = alignedColumns(before, after);
  const shared = columns.filter(({ kind }) => kind === 'same');
  const pair = { before, after, totals, onProgress: options.onProgress ?? (() => undefined) };
  const key = options.key ? chosenKey(shared, options.key) : await findKey(shared, pair);
  const rows = await compareRows(shared, key.length > 0 ? key : shared, pair);
  return { columns, key: key.map(({ name }) => name), ...rows };
}

interface Pair {
  readonly before: TableFile;
  readonly after: TableFile;
  readonly totals: readonly [number, number];
  readonly onProgress: (step: string, share: number) => void;
}

function chosenKey(shared: readonly DiffColumn[], names: readonly string[]): readonly DiffColumn[] {
  return names.map(name => {
    const found = shared.find(column => column.name === name);
    if (!found) throw new Error(`both tables must have the column ${name === '' ? '""' : name} to match rows by it`);
    return found;
  });
}

function alignedColumns(before: TableFile, after: TableFile): readonly DiffColumn[] {
  const [old, now] = [uniqueNames(before), uniqueNames(after)];
  return [
    ...now.map((name, i): DiffColumn => {
      const at = old.indexOf(name);
      return at < 0 ? { name, kind: 'added', after: i } : { name, kind: 'same', before: at, after: i };
    }),
    ...old.flatMap((name, i): DiffColumn[] => (now.includes(name) ? [] : [{ name, kind: 'removed', before: i }])),
  ];
}

/** The first column that names each row of both tables once. */
async function findKey(shared: readonly DiffColumn[], { before, after, totals, onProgress }: Pair): Promise<readonly DiffColumn[]> {
  for (const [i, column] of shared.entries()) {
    onProgress(`Looking for a key: ${column.name}`, i / shared.length);
    if ((await isUnique(before, column.before ?? 0, totals[0])) && (await isUnique(after, column.after ?? 0, totals[1]))) return [column];
  }
  return [];
}

async function isUnique(table: TableFile, at: number, total: number): Promise<boolean> {
  const hash = new RowHash();
  const seen = new RowQueues(total);
  const column = table.columns[at];
  for await (const { start, count, values } of table.scan([at])) {
    for (let i = 0; i < count; i++) {
      const cell = column?.text(values[0]?.[i]) ?? null;
      if (cell === null || cell === '') return false;
      hash.begin();
      hash.add(cell);
      if (!seen.add(start + i, hash.high, hash.low)) return false;
    }
  }
  return true;
}

type Rows = Pick<TableDiff, 'counts' | 'before' | 'after'>;

async function compareRows(
  shared: readonly DiffColumn[],
  key: readonly DiffColumn[],
  { before, after, totals, onProgress }: Pair,
): Promise<Rows> {
  const columns = shared.map(column => ({ ...column, isKey: key.includes(column), ...namesOf(column, before, after) }));
  const seeds = crypto.getRandomValues(new Uint32Array(4));
  const waiting = new RowQueues(totals[0]);
  const [high, low] = [new Uint32Array(totals[0]), new Uint32Array(totals[0])];
  const old = columns.map(column => ({ place: column.before ?? 0, isKey: column.isKey, name: column.nameBefore }));
  await eachRow(before, old, seeds, (row, keys, rest, share) => {
    waiting.add(row, keys.high, keys.low);
    high[row] = rest.high;
    low[row] = rest.low;
    if (row % 10_000 === 0) onProgress('Reading the table before', share);
  });
  const pairs: { before: number; after: number }[] = [];
  const isMatched = new Uint8Array(totals[0]);
  const counts = { added: 0, removed: 0, changed: 0, same: 0 };
  const now = columns.map(column => ({ place: column.after ?? 0, isKey: column.isKey, name: column.nameAfter }));
  await eachRow(after, now, seeds, (row, keys, rest, share) => {
    // Without a column in common no row is that of the other table.
    const match = shared.length === 0 ? noRow : waiting.take(keys.high, keys.low);
    if (match !== noRow) isMatched[match] = 1;
    const kind = match === noRow ? 'added' : high[match] === rest.high && low[match] === rest.low ? 'same' : 'changed';
    counts[kind]++;
    if (kind !== 'same') pairs.push({ before: match, after: row });
    if (row % 10_000 === 0) onProgress('Comparing with the table after', share);
  });
  for (let row = 0; row < totals[0]; row++) if (isMatched[row] === 0) pairs.push({ before: row, after: noRow });
  counts.removed = pairs.filter(pair => pair.after === noRow).length;
  return { counts, before: Uint32Array.from(pairs, pair => pair.before), after: Uint32Array.from(pairs, pair => pair.after) };
}

type Naming = (value: unknown) => Cell;

/** What values are compared by: as they are stored where both tables store them alike, else their texts. */
function namesOf(column: DiffColumn, before: TableFile, after: TableFile): { readonly nameBefore: Naming; readonly nameAfter: Naming } {
  const [old, now] = [before.columns[column.before ?? -1], after.columns[column.after ?? -1]];
  const isAlike = old?.stored !== undefined && old.stored.type === now?.stored?.type;
  const naming = (side: TableColumn | undefined): Naming => {
    if (isAlike && side?.stored) return side.stored.name;
    return value => side?.text(value) ?? null;
  };
  return { nameBefore: naming(old), nameAfter: naming(now) };
}

interface ReadColumn {
  readonly place: number;
  readonly isKey: boolean;
  readonly name: Naming;
}

type RowVisitor = (row: number, key: RowHash, rest: RowHash, share: number) => void;

async function eachRow(
  table: TableFile,
  columns: readonly ReadColumn[],
  seeds: Uint32Array<ArrayBuffer>,
  visit: RowVisitor,
): Promise<void> {
  const [key, rest] = [new RowHash(seeds), new RowHash(seeds)];
  const addRow = ({ values, start, share }: Batch, i: number): void => {
    key.begin();
    rest.begin();
    for (const [j, { isKey, name }] of columns.entries()) (isKey ? key : rest).add(name(values[j]?.[i]));
    visit(start + i, key, rest, share);
  };
  for await (const batch of table.scan(columns.map(({ place }) => place))) for (let i = 0; i < batch.count; i++) addRow(batch, i);
}
