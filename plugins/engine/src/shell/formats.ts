/** Prints the data of any command in the requested format. */
import { table } from '@srv/lib-commands';
import type { Command, CommandContext, CommandInput, Format, Terminal } from '@srv/lib-commands';

type Row = Readonly<Record<string, unknown>>;

interface ListPage {
  readonly results: readonly unknown[];
  readonly pagination: { readonly has_more?: boolean; readonly next_offset?: string };
}

/** A list answer and nothing else. */
function isPage(data: unknown): data is ListPage {
  if (typeof data !== 'object' || data === null) return false;
  const { results, pagination, ...rest } = data as Partial<ListPage>;
  return Array.isArray(results) && typeof pagination === 'object' && Object.keys(rest).length === 0;
}

/** Lists as lists, without what only paging needs. */
export function listOrWhole(data: unknown): unknown {
  return isPage(data) ? data.results : data;
}

/** Items of a list answer, or the one item. */
export function itemsOf(data: unknown): readonly unknown[] {
  if (data === undefined || data === null) return [];
  if (Array.isArray(data)) return data;
  const { results } = data as { results?: unknown };
  return Array.isArray(results) ? results : [data];
}

/** Fields of objects, which are listed most. */
const objectFields = ['path', 'path_type', 'size_bytes', 'mtime', 'checksum', 'content_type', 'metadata', 'physical_address'];

/** Fields of the first item of a list; of nothing, those of objects. */
export function fieldsOf(data: unknown): readonly string[] {
  const [first] = itemsOf(data);
  return typeof first === 'object' && first !== null ? Object.keys(first) : objectFields;
}

const nameFields = ['path', 'id', 'name', 'reference', 'pattern', 'url'] as const;

/** What identifies an item: itself, or its path, id or name. */
export function nameOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const field = nameFields.find(name => (item as Row)[name] !== undefined);
  return field === undefined ? JSON.stringify(item) : String((item as Row)[field]);
}

/** A table whose columns are the fields of the items. */
export function genericTable(data: unknown, terminal: Pick<Terminal, 'interactive'>): string {
  const items = itemsOf(data);
  if (items.every(item => typeof item !== 'object' || item === null)) return items.map(String).join('\n');
  const rows = items.filter((item): item is Row => typeof item === 'object' && item !== null);
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))];
  return table(
    columns.map(column => column.replaceAll('_', ' ')),
    rows.map(row => columns.map(column => cell(row[column]))),
    terminal,
  );
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}

/** What a command returned, as text: in the form that was asked for, else in the command's own. */
export async function formattedText(
  command: Command,
  data: unknown,
  context: CommandContext,
  { format, input }: { readonly format?: Format | undefined; readonly input: CommandInput },
): Promise<string> {
  if (format === 'json') return JSON.stringify(listOrWhole(data), null, 2);
  if (format === 'yaml') return (await import('yaml')).stringify(listOrWhole(data)).trimEnd();
  if (format === 'name') return itemsOf(data).map(nameOf).join('\n');
  return format === undefined && command.render ? command.render(data, context, input) : genericTable(data, context.terminal);
}
