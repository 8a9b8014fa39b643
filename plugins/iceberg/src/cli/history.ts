/** Snapshots of a table: `iceberg history`, `iceberg rollback`. */
import { argument, defineCommand, formatDate, required, table } from '@srv/lib-commands';
import { nameIn, tableArgument } from './table-name.js';
import type {} from '../operations.js';

export const icebergHistory = defineCommand({
  name: 'iceberg history',
  summary: 'List the snapshots of a table, newest first',
  examples: ['cli iceberg history srv://example-repo/main/sales.books'],
  arguments: [tableArgument],
  async run(context, input) {
    const uri = context.uri.path(argument(input, 0));
    const { repository, ref } = uri;
    const { snapshots, current_snapshot_id: current } = await (await context.client()).getTable({ repository, ref, name: nameIn(uri) });
    return snapshots.map(snapshot => ({ ...snapshot, current: snapshot.snapshot_id === current })).reverse();
  },
  render: (snapshots, { terminal }) =>
    table(
      ['Snapshot', 'Date', 'Operation', 'Rows', 'Data Files', ''],
      snapshots.map(found => [
        found.snapshot_id,
        formatDate(found.creation_date),
        found.operation ?? '',
        found.records ?? '',
        found.data_files ?? '',
        found.current ? 'current' : '',
      ]),
      terminal,
    ),
});

export const icebergRollback = defineCommand({
  name: 'iceberg rollback',
  summary: 'Make an earlier snapshot of a table the current one',
  examples: ['cli iceberg rollback srv://example-repo/main/sales.books 4642566679952208809'],
  arguments: [tableArgument, required('snapshot ID', 'as iceberg history shows it')],
  async run(context, input) {
    const uri = context.uri.path(argument(input, 0));
    const { repository, ref: branch } = uri;
    const body = { name: nameIn(uri), snapshot_id: argument(input, 1) };
    return (await context.client()).rollbackTable({ repository, branch, body });
  },
  render: found => `${[...found.namespace, found.name].join('.')} is at snapshot ${found.current_snapshot_id ?? 'none'}`,
});
