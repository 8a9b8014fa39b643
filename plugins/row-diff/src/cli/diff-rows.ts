import { argument, defineCommand, inOneLine, required, sameRepository } from '@srv/lib-commands';
import { tableFormats } from '@srv/lib-records/tables/table-format';
import type { Terminal } from '@srv/lib-commands';
import type { RowDiffLine } from '../contract.js';
import type {} from '../operations.js';

export const diffRows = defineCommand({
  name: 'diff rows',
  summary: 'Show which rows and cells of two tables differ',
  description: `Show which rows and cells of two tables differ: Parquet, CSV, TSV, JSON lines, Arrow and Avro.
Rows are matched by the columns of --key; without it by the first column that names each row once, else as a whole.`,
  examples: ['cli diff rows srv://example-repo/main/tables/cities.csv srv://example-repo/example-branch/tables/cities.csv --key id'],
  arguments: [required('left path URI', 'srv://<repository>/<ref>/<path>'), required('right path URI', 'srv://<repository>/<ref>/<path>')],
  options: [
    { name: 'key', type: 'list', description: 'columns that identify a row' },
    {
      name: 'format',
      type: 'string',
      choices: tableFormats,
      description: 'format of both, where their names do not say it',
    },
    { name: 'limit', type: 'int', description: 'rows to show at most; the summary counts all' },
  ],
  async run(context, input) {
    const [left, right] = [context.uri.path(argument(input, 0)), context.uri.path(argument(input, 1))];
    sameRepository(left, right, 'both tables must belong to the same repository');
    const { key, limit } = input.options;
    const format = tableFormats.find(each => each === input.options['format']);
    const api = await context.client();
    const { body } = await api.diffRows({
      repository: left.repository,
      leftRef: left.ref,
      rightRef: right.ref,
      path: left.path,
      right_path: right.path,
      ...(Array.isArray(key) ? { key: key as readonly string[] } : {}),
      format,
      ...(typeof limit === 'number' ? { limit } : {}),
    });
    return linesOf(body);
  },
  render: (line, { terminal }) => lineText(line, terminal),
});

/** Lines as they arrive. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<RowDiffLine> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as RowDiffLine;
  }
}

function lineText(line: RowDiffLine, { colours }: Pick<Terminal, 'colours'>): string {
  switch (line.type) {
    case 'schema': {
      const changes = line.columns.flatMap(({ name, change, left_type: left, right_type: right }) => {
        if (change === 'added') return [colours.green(`+ column ${inOneLine(name)}`)];
        if (change === 'removed') return [colours.red(`- column ${inOneLine(name)}`)];
        return left === right ? [] : [colours.yellow(`~ column ${inOneLine(name)}: ${left ?? 'text'} -> ${right ?? 'text'}`)];
      });
      return [matchingText(line), ...changes].join('\n');
    }
    case 'added':
      return colours.green(`+ ${pairs(line.row)}`);
    case 'removed':
      return colours.red(`- ${pairs(line.row)}`);
    case 'changed': {
      const cells = Object.entries(line.cells).map(([name, [left, right]]) => `${inOneLine(name)}: ${shown(left)} -> ${shown(right)}`);
      return colours.yellow(`~ ${pairs(line.key)}  ${cells.join(', ')}`);
    }
    case 'summary': {
      const { added, removed, changed, same, changed_cells: cells, truncated } = line;
      const columns = Object.entries(cells).map(([name, count]) => `${inOneLine(name)} ${count}`);
      return [
        `${added} added, ${removed} removed, ${changed} changed, ${same} the same${truncated ? '; not all are shown' : ''}`,
        ...(columns.length === 0 ? [] : [`Changed cells: ${columns.join(', ')}`]),
      ].join('\n');
    }
  }
}

function matchingText({ key, columns }: Extract<RowDiffLine, { readonly type: 'schema' }>): string {
  if (!columns.some(({ change }) => change === 'same')) return 'The tables have no column in common: all rows differ';
  return `Key: ${key.length === 0 ? 'the whole row' : key.map(inOneLine).join(', ')}`;
}

function pairs(row: Readonly<Record<string, string | null>>): string {
  return Object.entries(row)
    .map(([name, value]) => `${inOneLine(name)}=${shown(value)}`)
    .join(' ');
}

function shown(value: string | null): string {
  return inOneLine(value ?? 'null');
}
