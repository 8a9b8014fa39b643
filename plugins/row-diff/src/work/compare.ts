/** Compares two tables and writes what differs, a line each. Blocks while it works: a thread calls it. */
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { complete, openTable } from '@srv/lib-records/tables/open-table';
import { noRow } from '@srv/lib-records/tables/row-queues';
import { diffBytes, diffTables } from '@srv/lib-records/tables/table-diff';
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { DiffColumn, TableDiff } from '@srv/lib-records/tables/table-diff';
import type { Cell, TableFile } from '@srv/lib-records/tables/table-file';
import type { RowDiffLine } from '../contract.js';
import type { WorkRequest } from './request.js';

/** Rows whose cells are read at a time. */
const lot = 2000;
/** Rows between two that are read with them rather than by another read. */
const nearRows = 256;

/** @throws Error for a file that is not a table, one of too many rows, or a key that is not a column of both. */
export async function compareTables({ left, right, result, format, key, limit, memory }: WorkRequest): Promise<void> {
  const sources = [new FileSource(left), new FileSource(right)] as const;
  const output = new LineFile(result);
  try {
    const [before, after] = [await openTable(format, sources[0]), await openTable(format, sources[1])];
    const totals = [await complete(before, () => undefined), await complete(after, () => undefined)] as const;
    // The limits of the thread count its objects alone.
    const needed = diffBytes(totals);
    if (needed > memory)
      throw new Error(
        `they have ${totals[0]} and ${totals[1]} rows, which needs ${needed} bytes; at most ${memory} (row_diff.memory_bytes)`,
      );
    const diff = await diffTables(before, after, totals, key ? { key } : {});
    output.add(schemaOf(diff, before, after));
    const writer = new RowWriter({ diff, before, after, output });
    const shown = Math.min(limit, diff.before.length);
    for (let at = 0; at < shown; at += lot) await writer.write(at, Math.min(shown, at + lot));
    for (let at = shown; at < diff.before.length; at += lot) await writer.count(at, Math.min(diff.before.length, at + lot));
    output.add({
      type: 'summary',
      left_rows: totals[0],
      right_rows: totals[1],
      ...diff.counts,
      truncated: shown < diff.before.length,
      changed_cells: writer.changedCells,
    });
  } finally {
    for (const part of [...sources, output]) part.close();
  }
}

function schemaOf({ key, columns }: TableDiff, before: TableFile, after: TableFile): RowDiffLine {
  return {
    type: 'schema',
    key,
    columns: columns.map(column => {
      const [left, right] = [before.columns[column.before ?? -1]?.type, after.columns[column.after ?? -1]?.type];
      const types = { left_type: left, right_type: right };
      return { name: column.name, change: column.kind, ...types };
    }),
  };
}

interface RowWriterParts {
  readonly diff: TableDiff;
  readonly before: TableFile;
  readonly after: TableFile;
  readonly output: LineFile;
}

type ChangedLine = Extract<RowDiffLine, { readonly type: 'changed' }>;

class RowWriter {
  /** Of all rows that were written or counted, by column. */
  readonly changedCells: Record<string, number> = Object.create(null) as Record<string, number>;
  readonly #parts: RowWriterParts;
  readonly #left: readonly DiffColumn[];
  readonly #right: readonly DiffColumn[];

  constructor(parts: RowWriterParts) {
    this.#parts = parts;
    this.#left = parts.diff.columns.filter(({ before }) => before !== undefined);
    this.#right = parts.diff.columns.filter(({ after }) => after !== undefined);
  }

  /** Writes differing rows from number `from` to before `to`. */
  async write(from: number, to: number): Promise<void> {
    const { diff, before, after, output } = this.#parts;
    const [leftRows, rightRows] = [diff.before.subarray(from, to), diff.after.subarray(from, to)];
    const left = await cellsOf(
      before,
      leftRows,
      this.#left.map(column => column.before ?? 0),
    );
    const right = await cellsOf(
      after,
      rightRows,
      this.#right.map(column => column.after ?? 0),
    );
    for (let i = 0; i < to - from; i++) {
      const [old, now] = [left.get(leftRows[i] ?? noRow), right.get(rightRows[i] ?? noRow)];
      const [oldRow, nowRow] = [old && rowOf(this.#left, old), now && rowOf(this.#right, now)];
      const numbers = { left_row: (leftRows[i] ?? 0) + 1, right_row: (rightRows[i] ?? 0) + 1 };
      if (oldRow && nowRow) output.add({ type: 'changed', ...numbers, ...this.#changed(oldRow, nowRow) });
      else if (nowRow) output.add({ type: 'added', right_row: numbers.right_row, row: nowRow });
      else if (oldRow) output.add({ type: 'removed', left_row: numbers.left_row, row: oldRow });
    }
  }

  /** Counts the cells of changed rows from number `from` to before `to`. */
  async count(from: number, to: number): Promise<void> {
    const { diff, before, after } = this.#parts;
    const isChanged = (_: number, i: number): boolean => diff.before[from + i] !== noRow && diff.after[from + i] !== noRow;
    const leftRows = diff.before.subarray(from, to).filter(isChanged);
    const rightRows = diff.after.subarray(from, to).filter(isChanged);
    const compared = diff.columns.filter(({ name, kind }) => kind === 'same' && !diff.key.includes(name));
    const left = await cellsOf(
      before,
      leftRows,
      compared.map(column => column.before ?? 0),
    );
    const right = await cellsOf(
      after,
      rightRows,
      compared.map(column => column.after ?? 0),
    );
    for (const [i, row] of leftRows.entries()) {
      const [old = [], now = []] = [left.get(row), right.get(rightRows[i] ?? noRow)];
      for (const [at, { name }] of compared.entries()) if ((old[at] ?? null) !== (now[at] ?? null)) this.#countCell(name);
    }
  }

  #countCell(name: string): void {
    this.changedCells[name] = (this.changedCells[name] ?? 0) + 1;
  }

  #changed(old: Row, now: Row): Pick<ChangedLine, 'key' | 'cells'> {
    const { key, columns } = this.#parts.diff;
    const cells: Record<string, [Cell, Cell]> = Object.create(null) as Record<string, [Cell, Cell]>;
    for (const { name, kind } of columns) {
      const [left, right] = [old[name] ?? null, now[name] ?? null];
      if (kind !== 'same' || left === right) continue;
      cells[name] = [left, right];
      this.#countCell(name);
    }
    return { key: Object.fromEntries(key.map(name => [name, now[name] ?? null])), cells };
  }
}

type Row = Readonly<Record<string, Cell>>;

function rowOf(columns: readonly DiffColumn[], cells: readonly Cell[]): Row {
  return Object.fromEntries(columns.map(({ name }, i) => [name, cells[i] ?? null]));
}

/** Cells by number of the row; rows near each other are read together. */
async function cellsOf(table: TableFile, rows: Uint32Array, columns: readonly number[]): Promise<Map<number, Cell[]>> {
  const wanted = [...new Set(rows)].filter(row => row !== noRow).sort((a, b) => a - b);
  const found = new Map<number, Cell[]>();
  for (let i = 0; i < wanted.length; ) {
    const start = wanted[i] ?? 0;
    let end = start + 1;
    let last = i;
    for (let next = wanted[last + 1]; next !== undefined && next - end < nearRows; next = wanted[last + 1]) {
      end = next + 1;
      last++;
    }
    const cells = await table.cells(start, end, columns);
    for (; i <= last; i++) found.set(wanted[i] ?? 0, cells[(wanted[i] ?? 0) - start] ?? []);
  }
  return found;
}

/** A file of this machine, read by ranges. */
class FileSource implements ByteSource {
  readonly size: number;
  readonly #descriptor: number;

  constructor(path: string) {
    this.size = statSync(path).size;
    this.#descriptor = openSync(path, 'r');
  }

  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(Math.max(0, Math.min(end, this.size) - start));
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(this.#descriptor, bytes, at, bytes.length - at, start + at);
      if (read === 0) return Promise.reject(new Error('the copy of the object ended early'));
      at += read;
    }
    return Promise.resolve(bytes);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** Lines that are written in blocks. */
class LineFile {
  readonly #descriptor: number;
  #waiting: string[] = [];
  #length = 0;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'wx', 0o600);
  }

  add(line: RowDiffLine): void {
    const text = `${JSON.stringify(line)}\n`;
    this.#waiting.push(text);
    this.#length += text.length;
    if (this.#length > 1 << 20) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#descriptor);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting.join(''));
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    this.#waiting = [];
    this.#length = 0;
  }
}
