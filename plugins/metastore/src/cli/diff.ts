import { defineCommand } from '@srv/lib-commands';
import { demand, given, options, sharedPlaces, textOption } from './options.js';
import type { Difference, TableDifference } from '../copy/difference.js';

interface DiffResult extends TableDifference {
  readonly from: string;
  readonly to: string;
}

export const metastoreDiff = defineCommand({
  name: 'metastore diff',
  summary: 'Show columns and partitions in which two tables differ',
  description: '+ is only in the source, - only in the target, ~ differs.',
  examples: ['cli metastore diff --from-schema default --from-table events --to-schema dev'],
  options: [
    options.catalogId,
    options.fromAddress,
    options.fromClientType,
    options.fromSchema,
    options.fromTable,
    options.metastoreUri,
    options.toAddress,
    options.toClientType,
    textOption('to-schema', 'target schema (default is the source schema)'),
    textOption('to-table', 'target table (default is the source table)'),
  ],
  async run(context, input): Promise<DiffResult> {
    demand(input, 'from-schema', 'from-table');
    const { compareTables, readMetastoreSettings, withMetastores } = await import('./work.js');
    const settings = await readMetastoreSettings(context);
    const source = { database: given(input, 'from-schema'), table: given(input, 'from-table') };
    const target = { database: given(input, 'to-schema') || source.database, table: given(input, 'to-table') || source.table };
    const shared = sharedPlaces(input, settings['metastore.type']);
    const places = {
      from: { ...shared.from, address: given(input, 'from-address') || shared.from.address },
      to: { ...shared.to, address: given(input, 'to-address') || shared.to.address },
    };
    const found = await withMetastores(context, settings, places, (from, to) => compareTables(from, source, to, target));
    return { from: `${source.database}.${source.table}`, to: `${target.database}.${target.table}`, ...found };
  },
  render: ({ from, to, columns, partitions }) =>
    [`${from} <--> ${to}`, ...lines('Columns', columns), ...lines('Partitions', partitions)].join('\n'),
});

function lines(what: string, differences: readonly Difference[]): string[] {
  return differences.length === 0 ? [`${what} are identical`] : [what, ...differences.map(({ type, name }) => `${type} ${name}`)];
}
