/** Rows of a table by their numbers, in any order. */
import { noRow } from './row-queues.js';
import type { Cell, TableFile } from './table-file.js';

/** Rows between two that are wanted, which are read rather than left out. */
const gap = 256;

/** @param rows numbers; others than those of the table have no cells. */
export async function cellsAt(table: TableFile, rows: readonly number[], columns: readonly number[]): Promise<(readonly Cell[])[]> {
  const sorted = [...new Set(rows)].filter(row => row < noRow).sort((a, b) => a - b);
  const runs: { start: number; end: number }[] = [];
  for (const row of sorted) {
    const last = runs.at(-1);
    if (last && row < last.end + gap) last.end = row + 1;
    else runs.push({ start: row, end: row + 1 });
  }
  const found = new Map<number, readonly Cell[]>();
  for (const { start, end } of runs)
    for (const [i, cells] of (await table.cells(start, end, columns)).entries()) found.set(start + i, cells);
  return rows.map(row => found.get(row) ?? []);
}
