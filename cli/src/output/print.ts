/** Writes the result of a command to standard output, in the requested format. */
import { pipeline } from 'node:stream/promises';
import { formattedText, isBytes, isStream } from '@srv/engine/shell';
import type { Command, CommandContext, CommandInput, Format } from '@srv/lib-commands';

interface Sink {
  /** What the command was given; renderers look at its options. */
  readonly input: CommandInput;
  readonly stream: NodeJS.WritableStream;
  /** Absent: the command's own text. */
  readonly format?: Format;
}

const rowsOfATable = 10_000;

/** Bytes are copied, streams are printed item by item, everything else at once. */
export async function printResult(command: Command, data: unknown, context: CommandContext, sink: Sink): Promise<void> {
  if (data === undefined) return;
  if (isBytes(data)) await pipeline(data, sink.stream, { end: false });
  else if (isStream(data)) await printStream(command, data, context, sink);
  else await write(sink.stream, await formattedText(command, data, context, sink));
}

async function printStream(command: Command, data: AsyncIterable<unknown>, context: CommandContext, sink: Sink): Promise<void> {
  const { stream, format } = sink;
  if (format === 'table') {
    for await (const rows of inTables(data)) await write(stream, await formattedText(command, rows, context, sink));
    return;
  }
  if (format !== 'json') {
    for await (const item of data) {
      const text = await formattedText(command, format === 'yaml' ? [item] : item, context, sink);
      await write(stream, text, format !== undefined || text !== '');
    }
    return;
  }
  let count = 0;
  for await (const item of data) await write(stream, `${count++ === 0 ? '[' : ','}\n  ${JSON.stringify(item)}`, false);
  await write(stream, count === 0 ? '[]' : '\n]');
}

/** Columns as wide as their widest cell need all rows; a list without end still must not fill the memory. */
async function* inTables(items: AsyncIterable<unknown>): AsyncGenerator<readonly unknown[]> {
  let rows: unknown[] = [];
  for await (const item of items) {
    if (rows.push(item) < rowsOfATable) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/** Waits when the reader is slow. */
async function write(stream: NodeJS.WritableStream, text: string, endLine = text !== ''): Promise<void> {
  const bytes = endLine && !text.endsWith('\n') ? `${text}\n` : text;
  if (bytes !== '' && !stream.write(bytes))
    await new Promise<void>(resolve => {
      stream.once('drain', resolve);
    });
}
