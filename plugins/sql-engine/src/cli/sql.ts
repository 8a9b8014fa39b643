import { argument, defineCommand, inOneLine, required, table } from '@srv/lib-commands';
import { cellsOf, rowsOf, textOf } from './rows.js';
import type { Readable } from 'node:stream';
import type {} from '../operations.js';
import type { Row } from './rows.js';

const outputs = ['table', 'json', 'csv', 'parquet'] as const;
/** Rows of a table, unless the caller wants more. */
const usualLimit = 1000;

export const sql = defineCommand<readonly Row[] | Readable>({
  name: 'sql',
  summary: 'Run a query over objects and their metadata on the server',
  description: `Run a query over objects and their metadata on the server, which needs DuckDB for it.
Queries only read. 'srv://repository/ref/path' is a table: Parquet, CSV or JSON; with * ? ** several objects.
repository.ref.system.object_metadata has a row for each committed object, with repository, path, commit_id, size,
last_modified, etag, user_metadata, committer and content_type; the repository must be indexed: search enable.
repository.ref.system.object_journal has a row for each change, with repository, commit_id, time, committer, path,
operation, size_before, size_after, etag_before and etag_after.
repository.ref.namespace.table is a table of the Iceberg catalog, as it is on that ref.
Quote names with other characters than letters, digits and _: "my-repo"."feature/x".system.object_metadata.`,
  examples: [
    'cli sql \'SELECT committer, count(*), sum(size) FROM "example-repo".main.system.object_metadata GROUP BY committer\'',
    'cli sql "SELECT * FROM \'srv://example-repo/main/tables/*.csv\'" -o parquet > all.parquet',
  ],
  arguments: [required('query', 'one query in SQL')],
  options: [
    { name: 'output', short: 'o', type: 'string', choices: outputs, default: 'table', description: 'form of the result' },
    { name: 'uncommitted', type: 'bool', default: false, description: 'tables of objects show branches with what is not committed' },
    { name: 'limit', type: 'int', description: `rows at most (default: all, of a table ${usualLimit})` },
  ],
  async run(context, input) {
    const output = outputs.find(name => name === input.options.output) ?? 'table';
    const limit = typeof input.options.limit === 'number' ? input.options.limit : undefined;
    const api = await context.client();
    const query = { sql: argument(input, 0), ...(input.options.uncommitted === true ? { uncommitted: true } : {}) };
    if (output !== 'table') {
      const body = { ...query, format: output, ...(limit === undefined ? {} : { limit }) };
      return (await api.runMDSQuery({ body }, { signal: context.signal })).body;
    }
    const most = limit ?? usualLimit;
    const body = { ...query, format: 'lines', limit: most + 1 } as const;
    const rows = await rowsOf((await api.runMDSQuery({ body }, { signal: context.signal })).body);
    if (rows.length > most) context.warn(`the result has more than ${most} rows; --limit, or -o csv shows them`);
    return rows.slice(0, most);
  },
  render: (rows, { terminal }) => (Array.isArray(rows) ? rowsText(rows as readonly Row[], terminal) : ''),
});

function rowsText(rows: readonly Row[], terminal: Parameters<typeof table>[2]): string {
  return table(
    cellsOf(rows[0]).map(({ name }) => inOneLine(name)),
    rows.map(row => cellsOf(row).map(({ value }) => inOneLine(textOf(value)))),
    terminal,
  );
}
