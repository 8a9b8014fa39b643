/** Tables: boxed on a terminal, tab-separated without header in a pipe. */
import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';
import { narrowed } from './widths.js';
import type { Terminal } from './terminal.js';

type BoxTable = typeof import('cli-table3');

/** Loaded when the first box is drawn: most runs draw none. */
function boxTable(): BoxTable {
  return createRequire(import.meta.url)('cli-table3') as BoxTable;
}

const box = {
  top: '-',
  'top-mid': '+',
  'top-left': '+',
  'top-right': '+',
  bottom: '-',
  'bottom-mid': '+',
  'bottom-left': '+',
  'bottom-right': '+',
  left: '|',
  'left-mid': '+',
  mid: '-',
  'mid-mid': '+',
  right: '|',
  'right-mid': '+',
  middle: '|',
};

export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { interactive, columns }: Pick<Terminal, 'interactive' | 'columns'>,
): string {
  if (!interactive) return rows.map(row => row.join('\t')).join('\n');
  const Table = boxTable();
  const widths = fittingWidths([header, ...rows], columns);
  const drawn = new Table({
    head: header.map(name => name.toUpperCase()),
    chars: box,
    style: { head: [], border: [], compact: true },
    ...(widths ? { colWidths: widths, wordWrap: true, wrapOnWordBoundary: false } : {}),
  });
  drawn.push(...rows.map(row => [...row]));
  return drawn.toString();
}

/** Widths of the columns where the table is wider than the screen: their cells wrap. */
function fittingWidths(rows: readonly (readonly string[])[], screen: number | undefined): number[] | undefined {
  const count = rows[0]?.length ?? 0;
  const widths = Array.from(
    { length: count },
    (_, column) => Math.max(...rows.map(row => stripVTControlCharacters(row[column] ?? '').length)) + 2,
  );
  const most = (screen ?? Number.POSITIVE_INFINITY) - count - 1;
  return widths.reduce((sum, width) => sum + width, 0) <= most ? undefined : narrowed(widths, most);
}
