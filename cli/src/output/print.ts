/** Writes the result of a command to standard output, in the requested format. */
import { formattedText, isBytes, isStream } from '@srv/engine/shell';
import { forTerminal, isWholeList } from '@srv/lib-commands';
import { copyTo, offer } from './outlet.js';
import type { Command, CommandContext, CommandInput, Format } from '@srv/lib-commands';

interface Sink {
  /** What the command was given; renderers look at its options. */
  readonly input: CommandInput;
  readonly stream: NodeJS.WritableStream;
  /** Absent: the command's own text. */
  readonly format?: Format | undefined;
}

const rowsOfATable = 10_000;
/** Of a whole list as its command draws it. */
const rowsOfAPage = 1000;

/** Bytes are copied, streams are printed item by item, everything else at once. Stops when the reader leaves. */
export async function printResult(command: Command, data: unknown, context: CommandContext, sink: Sink): Promise<void> {
  if (data === undefined) return;
  if (isBytes(data)) await copyTo(sink.stream, data);
  else if (isStream(data)) await printStream(command, data, context, sink);
  else await write(sink.stream, await formattedText(command, data, context, sink));
}

async function printStream(command: Command, data: AsyncIterable<unknown>, context: CommandContext, sink: Sink): Promise<void> {
  const { stream, format } = sink;
  if (format === 'table' || (format === undefined && isWholeList(data))) {
    for await (const rows of inTables(data, format === 'table' ? rowsOfATable : rowsOfAPage)) {
      const shown = format === 'table' ? rows : { results: rows, pagination: { has_more: false, next_offset: '' } };
      if (!(await write(stream, await formattedText(command, shown, context, sink)))) return;
    }
    return;
  }
  if (format !== 'json') {
    for await (const item of data) {
      const text = await formattedText(command, format === 'yaml' ? [item] : item, context, sink);
      if (!(await write(stream, text, format !== undefined || text !== ''))) return;
    }
    return;
  }
  let count = 0;
  for await (const item of data)
    if (!(await write(stream, `${count++ === 0 ? '[' : ','}\n  ${itemJson(item, context.terminal.interactive)}`, false))) return;
  await write(stream, count === 0 ? '[]' : '\n]');
}

/** A line of a list; for a person, indented. */
function itemJson(item: unknown, interactive: boolean): string {
  return interactive ? JSON.stringify(item, null, 2).replaceAll('\n', '\n  ') : JSON.stringify(item);
}

/** Columns as wide as their widest cell need all rows; a list without end still must not fill the memory. */
async function* inTables(items: AsyncIterable<unknown>, most: number): AsyncGenerator<readonly unknown[]> {
  let rows: unknown[] = [];
  for await (const item of items) {
    if (rows.push(item) < most) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/** @returns whether the reader takes more. */
async function write(stream: NodeJS.WritableStream, text: string, endLine = text !== ''): Promise<boolean> {
  const shown = 'isTTY' in stream && stream.isTTY === true ? forTerminal(text) : text;
  const whole = endLine && !shown.endsWith('\n') ? `${shown}\n` : shown;
  return whole === '' || (await offer(stream, whole));
}
