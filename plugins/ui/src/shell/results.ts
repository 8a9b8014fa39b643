/** What a command returned, as events that the page shows: lists as rows, everything else as text. */
import { formattedText, isBytes, isStream, itemsOf } from '@srv/engine/shell';
import type { Command, CommandContext, CommandInput, Format } from '@srv/lib-commands';
import type { Origin, ShellEvent } from './protocol.js';

interface Showing {
  readonly command: Command;
  readonly context: CommandContext;
  readonly input: CommandInput;
  readonly format: Format | undefined;
  readonly emit: (event: ShellEvent) => void;
  readonly origin: () => Origin | undefined;
}

type Row = Readonly<Record<string, unknown>>;

/** More would fill the page's memory; users who need them all have `cli`. */
const mostRows = 100_000;
/** Characters of one text. */
const mostText = 262_144;
/** Bytes of content that are read to be shown. */
const mostBytes = 262_144;
/** Rows sent to the page at a time, and milliseconds they wait at most. */
const batchRows = 500;
const batchMs = 100;

/** @returns the data as a whole, for `_`. */
export async function showResult(data: unknown, showing: Showing): Promise<unknown> {
  if (data === undefined) return undefined;
  if (isBytes(data)) return showBytes(data as AsyncIterable<unknown>, showing);
  const items = isStream(data) ? await streamed(data, showing) : data;
  const { format } = showing;
  if (isStream(data) && (format === undefined || format === 'table')) return items;
  if (format === undefined || format === 'table') {
    const rows = listOf(format === 'table' && isRow(items) && !('results' in items) ? [items] : items);
    if (rows) {
      if (rows.length === 0) note(showing, 'nothing found');
      for (let at = 0; at < rows.length; at += batchRows) emitRows(showing, rows.slice(at, at + batchRows));
      return items;
    }
  }
  const { command, context, input } = showing;
  const isPlain = format === undefined && !command.render && typeof items === 'object';
  if (isPlain) showText(showing, JSON.stringify(items, null, 2));
  else showText(showing, await formattedText(command, items, context, { input, format }));
  return items;
}

/** Items of a list, or of a list answer, when each has fields. */
function listOf(data: unknown): readonly Row[] | undefined {
  const isList = Array.isArray(data) || (typeof data === 'object' && data !== null && 'results' in data && Array.isArray(data.results));
  if (!isList) return undefined;
  const items = itemsOf(data);
  return items.every(isRow) ? items : undefined;
}

const isRow = (item: unknown): item is Row => typeof item === 'object' && item !== null && !Array.isArray(item);

/** Rows go to the page as they come; in another format the whole list is needed first. */
async function streamed(items: AsyncIterable<unknown>, showing: Showing): Promise<readonly unknown[]> {
  const { format, context } = showing;
  const shows = format === undefined || format === 'table';
  const seen: unknown[] = [];
  let rows: Row[] = [];
  let sentAt = Date.now();
  const flush = (): void => {
    if (rows.length > 0) emitRows(showing, rows);
    rows = [];
    sentAt = Date.now();
  };
  for await (const item of items) {
    context.signal.throwIfAborted();
    if (seen.length === mostRows) {
      flush();
      note(showing, `these are the first ${mostRows.toLocaleString('en')}; narrow the list, or use cli`);
      break;
    }
    seen.push(item);
    if (shows && isRow(item)) rows.push(item);
    else if (shows) showText(showing, String(item));
    if (rows.length >= batchRows || Date.now() - sentAt >= batchMs) flush();
  }
  flush();
  if (seen.length === 0 && shows) note(showing, 'nothing found');
  return seen;
}

async function showBytes(chunks: AsyncIterable<unknown>, showing: Showing): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of chunks) {
    showing.context.signal.throwIfAborted();
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk instanceof Uint8Array ? chunk : new Uint8Array();
    size += bytes.length;
    text += decoder.decode(bytes, { stream: true });
    if (text.includes('\u0000')) {
      note(showing, 'these bytes are not text; open shows them, cli fs download stores them');
      return undefined;
    }
    if (size > mostBytes) break;
  }
  showText(showing, text);
  return text;
}

function showText({ emit }: Showing, text: string): void {
  if (text === '') return;
  emit({ kind: 'text', text: text.slice(0, mostText), tone: 'plain' });
  if (text.length > mostText) emit({ kind: 'text', text: 'This is the beginning only; cli has the rest.', tone: 'note' });
}

function emitRows({ emit, origin }: Showing, rows: readonly Row[]): void {
  const from = origin();
  emit({ kind: 'rows', rows, ...(from ? { origin: from } : {}) });
}

function note({ emit }: Showing, text: string): void {
  emit({ kind: 'text', text, tone: 'note' });
}
