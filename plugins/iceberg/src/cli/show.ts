/** Commands that look at tables: `iceberg list`, `iceberg show`. */
import { argument, defineCommand, labelled, listed, paginationOptions, refArgument, table } from '@srv/lib-commands';
import { nameIn, tableArgument } from './table-name.js';
import type {} from '../operations.js';

export const icebergList = defineCommand({
  name: 'iceberg list',
  summary: 'List the tables of a ref',
  examples: ['cli iceberg list srv://example-repo/main'],
  arguments: [refArgument],
  options: paginationOptions,
  async run(context, input) {
    const { repository, ref } = context.uri.ref(argument(input, 0));
    const api = await context.client();
    return listed(context, input, query => api.listTables({ repository, ref, ...query }));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Namespace', 'Table'],
      results.map(({ namespace, name }) => [namespace.join('.'), name]),
      terminal,
    ),
});

export const icebergShow = defineCommand({
  name: 'iceberg show',
  summary: 'Show a table: columns, partitions, properties',
  examples: ['cli iceberg show srv://example-repo/main/sales.books'],
  arguments: [tableArgument],
  async run(context, input) {
    const uri = context.uri.path(argument(input, 0));
    const { repository, ref } = uri;
    return (await context.client()).getTable({ repository, ref, name: nameIn(uri) });
  },
  render(found, { terminal }) {
    const current = found.snapshots.find(({ snapshot_id: id }) => id === found.current_snapshot_id);
    return [
      labelled([
        ['Table', [...found.namespace, found.name].join('.')],
        ['Format version', found.format_version],
        ['Location', found.location],
        ['Metadata file', found.metadata_location],
        ['Partitioned by', found.partitioned_by.join(', ') || 'nothing'],
        ['Current snapshot', found.current_snapshot_id ?? 'none'],
        ['Rows', current?.records ?? (current ? 'not known' : '0')],
        ['Data files', current?.data_files ?? (current ? 'not known' : '0')],
      ]),
      table(
        ['ID', 'Column', 'Type', 'Required'],
        found.fields.map(({ id, name, type, required }) => [String(id), name, type, required]),
        terminal,
      ),
    ].join('\n\n');
  },
});
