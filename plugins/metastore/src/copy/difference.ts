/** Differences between two tables: their columns, and their partitions. */

import { partitionName } from '../tables.js';
import { compareAll } from './partition-changes.js';
import type { Metastore } from '../metastore.js';
import type { Table } from '../tables.js';
import type { Source } from './copy-table.js';

/** `+` only in the first, `-` only in the second, `~` in both and different. */
export interface Difference {
  readonly type: '+' | '-' | '~';
  readonly name: string;
}

export interface TableDifference {
  readonly columns: readonly Difference[];
  readonly partitions: readonly Difference[];
}

/** @throws Error when one of the tables does not exist. */
export async function compareTables(from: Metastore, source: Source, to: Metastore, target: Source): Promise<TableDifference> {
  const tables = [await from.getTable(source.database, source.table), await to.getTable(target.database, target.table)] as const;
  for (const [i, { database, table }] of [source, target].entries())
    if (!tables[i]) throw new Error(`no table ${database}.${table} in the ${i === 0 ? 'source' : 'target'} metastore`);
  const changes = await compareAll(from.partitions(source.database, source.table), to.partitions(target.database, target.table));
  return {
    columns: compareColumns(tables[0], tables[1]),
    partitions: sorted([
      ...changes.added.map(partition => ({ type: '+' as const, name: partitionName(partition) })),
      ...changes.dropped.map(partition => ({ type: '-' as const, name: partitionName(partition) })),
      ...changes.altered.map(partition => ({ type: '~' as const, name: partitionName(partition) })),
    ]),
  };
}

function compareColumns(a: Table | undefined, b: Table | undefined): Difference[] {
  const [ours, theirs] = [columnsOf(a), columnsOf(b)];
  const names = new Set([...ours.keys(), ...theirs.keys()]);
  return sorted(
    [...names].flatMap((name): Difference[] => {
      const [here, there] = [ours.get(name), theirs.get(name)];
      if (here === there) return [];
      return [{ type: there === undefined ? '+' : here === undefined ? '-' : '~', name }];
    }),
  );
}

/** Type and comment by name. */
function columnsOf(table: Table | undefined): ReadonlyMap<string, string> {
  return new Map(table?.sd?.cols?.map(({ name = '', type = '', comment = '' }) => [name, JSON.stringify([type, comment])]));
}

function sorted(differences: readonly Difference[]): Difference[] {
  return differences.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
