/** `cat-sst`: prints any sorted table of the product: range, metarange or refs dump. */
import { UsageError, readNamed } from '@srv/lib-commands';
import type { Command, CommandContext, CommandInput } from '@srv/lib-commands';
import type { TableRows } from './table-rows.js';

/** Decoded rows with the names of their columns. */
export const catSst: Command<TableRows> = {
  name: 'cat-sst',
  summary: 'Print the records of a sorted table: a range, a metarange or a refs dump',
  description:
    'Reads a metadata file of a storage namespace and prints its records, one per line. The file is checked block by block; a damaged one is named with the place.',
  examples: ['cli cat-sst 56569996e174', 'cli cat-sst --file - < 56569996e174', 'cli cat-sst --amount 10 -o json 56569996e174'],
  arguments: [{ name: 'sst-file', description: 'The table file' }],
  options: [
    { name: 'file', short: 'f', type: 'string', completes: 'path', description: 'The table file; - for standard input' },
    { name: 'amount', type: 'int', default: -1, description: 'Records to print; -1 for all' },
  ],
  hidden: true,
  readsInput: true,
  async run(context, input) {
    const { readTableRows } = await import('./table-rows.js');
    return readTableRows(await readInput(fileOf(input), context.input), fileOf(input), Number(input.options['amount'] ?? -1));
  },
  render: ({ rows }) => rows.map(row => row.join('\t')).join('\n'),
};

function fileOf({ args, options }: CommandInput): string {
  const file = options['file'] ?? args[0];
  if (typeof file !== 'string' || file === '') throw new UsageError('required: the name of a table file, or --file - for standard input');
  return file;
}

async function readInput(file: string, input: CommandContext['input']): Promise<Buffer> {
  if (file !== '-') return readNamed(file);
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
