/** Tables: boxed on a terminal, tab-separated without header in a pipe. */
import { createRequire } from 'node:module';
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
  { interactive }: Pick<Terminal, 'interactive'>,
): string {
  if (!interactive) return rows.map(row => row.join('\t')).join('\n');
  const Table = boxTable();
  const drawn = new Table({ head: header.map(name => name.toUpperCase()), chars: box, style: { head: [], border: [], compact: true } });
  drawn.push(...rows.map(row => [...row]));
  return drawn.toString();
}
