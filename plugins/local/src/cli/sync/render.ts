/** Linked directories as text. */
import { plural } from '@srv/lib-commands';
import type { Terminal } from '@srv/lib-commands';
import type { Outcome } from './bring.js';
import type { StatusItem } from './status.js';

type Colours = Pick<Terminal, 'colours'>;

const colourOf = { added: 'green', removed: 'red', modified: 'yellow', conflict: 'yellowBright' } as const;

/** A box with double lines, in pipes too. */
export function statusTable(items: readonly StatusItem[], { colours }: Colours): string {
  if (items.length === 0) return 'No diff found.';
  const header = ['SOURCE', 'CHANGE', 'PATH'];
  const rows = items.map(({ source, change, path }) => [source, change, printable(path)]);
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map(row => [...(row[column] ?? '')].length)));
  const line = (left: string, middle: string, right: string): string =>
    left + widths.map(width => '═'.repeat(width + 2)).join(middle) + right;
  const cells = (row: readonly string[], paint = (text: string): string => text): string =>
    `║${row.map((cell, column) => ` ${paint(cell.padEnd((widths[column] ?? 0) + cell.length - [...cell].length))} `).join('║')}║`;
  return [
    line('╔', '╦', '╗'),
    cells(header),
    line('╠', '╬', '╣'),
    ...rows.map((row, index) => cells(row, colours[colourOf[items[index]?.change ?? 'modified']])),
    line('╚', '╩', '╝'),
  ].join('\n');
}

/** Names of files can hold anything; a terminal must not obey it. */
export function printable(path: string): string {
  return path.replace(/\p{Cc}/gu, character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** What an operation did. */
export function summary(operation: string, { downloaded, uploaded, removed }: Outcome, { colours }: Colours): string {
  const lines =
    downloaded + uploaded + removed === 0
      ? ['No changes']
      : [colours.green(`Downloaded: ${downloaded}`), colours.yellow(`Uploaded: ${uploaded}`), colours.red(`Removed: ${removed}`), ''];
  return ['', `${operation} Summary:`, '', ...lines].join('\n');
}

/** The same of several directories. */
export function total(outcomes: readonly Outcome[]): string {
  return outcomes
    .map(({ directory, downloaded, removed }) => `${directory}: ${plural(downloaded, 'file')} downloaded, ${removed} removed`)
    .join('\n');
}
