/** Rows of the shell as a table: columns, cells as people read them, and what a row leads to. */
import { ownValue, shownName, sizeText } from '@srv/lib-page/model';

export type ShellRow = Readonly<Record<string, unknown>>;

interface Cell {
  readonly text: string;
  /** The exact value, where the text is not. */
  readonly exact?: string;
  readonly isNumber?: boolean;
}

/** Rows that are looked at for columns and their widths. */
const sample = 300;

/** Of most use first; a name that identifies leads. */
const leading = ['path', 'id', 'name', 'key', 'type', 'message', 'committer', 'size_bytes', 'mtime', 'creation_date'];
/** Long, and seldom wanted. */
const trailing = [
  'path_type',
  'content_type',
  'parents',
  'metadata',
  'generation',
  'version',
  'physical_address',
  'storage_namespace',
  'meta_range_id',
  'checksum',
];

const rankOf = (name: string): number => {
  const [first, last] = [leading.indexOf(name), trailing.indexOf(name)];
  return first >= 0 ? first - leading.length : last >= 0 ? last + 1 : 0;
};

/** Fields that at least one row has something in. */
export function columnsOf(rows: readonly ShellRow[]): readonly string[] {
  const found = new Set<string>();
  for (const row of rows.slice(0, sample)) for (const [name, value] of Object.entries(row)) if (textOf(value) !== '') found.add(name);
  // Sorting keeps the order of what ranks the same.
  return [...found].sort((a, b) => rankOf(a) - rankOf(b));
}

/** Characters a column is wide. */
export function widthOf(column: string, rows: readonly ShellRow[]): number {
  const longest = Math.max(...rows.slice(0, sample).map(row => cellOf(column, ownValue(row, column)).text.length), column.length + 2);
  return Math.min(48, Math.max(4, longest)) + 2;
}

const isTime = (column: string): boolean => /(^mtime|_date|_expiry|^expiry)$/.test(column);

export function cellOf(column: string, value: unknown): Cell {
  if (typeof value === 'number' && isTime(column)) return timeCell(value);
  if (typeof value === 'number' && /(^|_)(size|bytes)(_bytes)?$/.test(column))
    return { text: sizeText(value), exact: `${value.toLocaleString('en')} bytes`, isNumber: true };
  if (typeof value === 'number') return { text: String(value), isNumber: true };
  const text = shownName(textOf(value));
  if (/^[0-9a-f]{64}$/.test(text)) return { text: text.slice(0, 12), exact: text };
  return text.length > 60 ? { text, exact: text } : { text };
}

function timeCell(seconds: number): Cell {
  const date = new Date(seconds * 1000);
  if (seconds === 0 || Number.isNaN(date.getTime())) return { text: '' };
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return { text: `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`, exact: date.toISOString() };
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value as string | number | boolean);
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}

/** Numbers as numbers, everything else as text. */
export function sorted(rows: readonly ShellRow[], column: string, down: boolean): readonly ShellRow[] {
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [ownValue(a, column), ownValue(b, column)];
    if (typeof x === 'number' && typeof y === 'number') return sign * (x - y);
    const [left, right] = [textOf(x), textOf(y)];
    return left === right ? 0 : sign * (left < right ? -1 : 1);
  });
}

/** What a row leads to. */
export type RowTarget =
  | {
      readonly column: 'path';
      readonly kind: 'object' | 'folder';
      readonly repository: string;
      readonly ref: string;
      readonly path: string;
    }
  | { readonly column: 'id'; readonly kind: 'commit'; readonly repository: string; readonly id: string }
  | { readonly column: 'id'; readonly kind: 'ref'; readonly repository: string; readonly id: string }
  | { readonly column: 'id'; readonly kind: 'repository'; readonly id: string };

/** @param origin what the command was asked about. */
export function targetOf(row: ShellRow, origin: { readonly repository: string; readonly ref?: string } | undefined): RowTarget | undefined {
  const { id, path } = row;
  if (typeof id === 'string' && 'default_branch' in row) return { column: 'id', kind: 'repository', id };
  if (origin === undefined) return undefined;
  const { repository, ref } = origin;
  if (typeof id === 'string' && 'meta_range_id' in row) return { column: 'id', kind: 'commit', repository, id };
  if (typeof id === 'string' && 'commit_id' in row) return { column: 'id', kind: 'ref', repository, id };
  // What a diff says is removed is not there.
  if (typeof path !== 'string' || ref === undefined || row['type'] === 'removed') return undefined;
  return { column: 'path', kind: row['path_type'] === 'common_prefix' ? 'folder' : 'object', repository, ref, path };
}
