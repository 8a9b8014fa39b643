import { defineCommand } from '@srv/lib-commands';
import { demand, given, options, sharedPlaces, textOption } from './options.js';
import type { CopyCounts } from '../copy/copy-table.js';

interface CopyResult extends CopyCounts {
  readonly from: string;
  readonly to: string;
}

export const metastoreCopy = defineCommand({
  name: 'metastore copy',
  localEffects: true,
  summary: 'Copy or merge a table',
  description:
    'Copies a table so that its data is read from another branch. An existing table is merged: partitions are added, altered and dropped until they match the source. No data is copied or deleted.',
  examples: ['cli metastore copy --from-schema default --from-table events --to-branch dev --to-schema dev'],
  options: [
    options.catalogId,
    options.dbfsRoot,
    options.fromClientType,
    options.fromSchema,
    options.fromTable,
    options.metastoreUri,
    { name: 'partition', short: 'p', type: 'list', description: 'copy this partition only: its values, one per partition column' },
    textOption('serde', 'name of the serde (default is the name of the target table)'),
    textOption('to-branch', 'branch that the target reads'),
    options.toClientType,
    textOption('to-schema', 'target schema (default is the branch)'),
    textOption('to-table', 'target table (default is the source table)'),
  ],
  async run(context, input): Promise<CopyResult> {
    demand(input, 'from-schema', 'from-table', 'to-branch');
    const { copyPartition, copyTable, readMetastoreSettings, withMetastores } = await import('./work.js');
    const settings = await readMetastoreSettings(context);
    const source = { database: given(input, 'from-schema'), table: given(input, 'from-table') };
    const branch = given(input, 'to-branch');
    const table = given(input, 'to-table') || source.table;
    const target = {
      database: given(input, 'to-schema') || branch,
      table,
      serde: given(input, 'serde') || table,
      rule: { kind: 'branch' as const, branch },
      dbfsRoot: given(input, 'dbfs-root'),
      fixSparkPlaceholder: settings['metastore.fix_spark_placeholder'],
    };
    const { partition } = input.options;
    const values = Array.isArray(partition) ? (partition as readonly string[]) : [];
    const places = sharedPlaces(input, settings['metastore.type']);
    const counts = await withMetastores(context, settings, places, (from, to) =>
      values.length > 0 ? copyPartition(from, source, to, target, values) : copyTable(from, source, to, target),
    );
    return { from: `${source.database}.${source.table}`, to: `${target.database}.${target.table}`, ...counts };
  },
  render: ({ from, to }) => `copy ${from} -> ${to}`,
});
