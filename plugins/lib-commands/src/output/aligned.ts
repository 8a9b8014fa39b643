/** Columns padded with spaces, for lists that must read well in a pipe too. */
import { narrowed, wrapped } from './widths.js';

/** Spaces between columns. */
const gap = 2;

/** @param screen its width in characters: cells of a wider list wrap. Absent: every row is one line. */
export function alignedTable(header: readonly string[], rows: readonly (readonly string[])[], screen?: number): string {
  const all = [header, ...rows];
  const needed = header.map((_, column) => Math.max(...all.map(row => (row[column] ?? '').length)));
  const widths = screen === undefined ? needed : narrowed(needed, screen - gap * (header.length - 1));
  return all.flatMap(row => linesOf(row, widths)).join('\n');
}

function linesOf(row: readonly string[], widths: readonly number[]): string[] {
  const cells = row.map((cell, column) => wrapped(cell, widths[column] ?? cell.length));
  const height = Math.max(...cells.map(lines => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, column) => (lines[line] ?? '').padEnd(widths[column] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}
