/** Prints what a command of the shell returned, and keeps it for the next line. */
import { isBytes, isStream, listOrWhole } from '@srv/engine/shell';
import { WholeList, isWholeList } from '@srv/lib-commands';
import { offer } from '../output/outlet.js';
import { printResult } from '../output/print.js';
import type { Command, CommandContext, CommandInput, Format } from '@srv/lib-commands';

interface Printing {
  readonly context: CommandContext;
  readonly input: CommandInput;
  readonly output: NodeJS.WritableStream;
  readonly format: Format | undefined;
  /** The data is wanted afterwards. */
  readonly remembers: boolean;
}

/** @returns the data; of a stream, what was printed of it; of bytes, nothing. */
export async function printOutcome(
  command: Command,
  data: unknown,
  { context, input, output, format, remembers }: Printing,
): Promise<unknown> {
  const seen: unknown[] = [];
  const stream = isStream(data) && remembers ? recorded(data, seen) : data;
  if (format === 'json' && !context.terminal.interactive && !isStream(data)) {
    if (isBytes(data)) await printResult(command, data, context, { stream: output, input });
    else if (data !== undefined) await offer(output, `${JSON.stringify(listOrWhole(data))}\n`);
  } else if (format === 'json' && !context.terminal.interactive) await offerLine(output, stream as AsyncIterable<unknown>);
  else await printResult(command, stream, context, { stream: output, input, format });
  if (isBytes(data)) return undefined;
  return isStream(data) ? seen : data;
}

/** A list as one line of JSON. */
async function offerLine(output: NodeJS.WritableStream, items: AsyncIterable<unknown>): Promise<void> {
  let count = 0;
  for await (const item of items) if (!(await offer(output, `${count++ === 0 ? '[' : ','}${JSON.stringify(item)}`))) return;
  await offer(output, count === 0 ? '[]\n' : ']\n');
}

function recorded(items: AsyncIterable<unknown>, seen: unknown[]): AsyncIterable<unknown> {
  async function* recording(): AsyncGenerator<unknown> {
    for await (const item of items) {
      seen.push(item);
      yield item;
    }
  }
  return isWholeList(items) ? new WholeList(recording()) : recording();
}
