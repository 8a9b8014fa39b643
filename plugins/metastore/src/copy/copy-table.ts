/** Copies one table: creates it where it is missing, and merges into it where it exists. */

import { compareAll } from './partition-changes.js';
import { rewritePartition, rewriteTable } from './rewrite.js';
import type { Metastore } from '../metastore.js';
import type { Partition } from '../tables.js';
import type { Target } from './rewrite.js';

export interface Source {
  readonly database: string;
  readonly table: string;
}

/** What a copy did. */
export interface CopyCounts {
  readonly created: boolean;
  readonly added: number;
  readonly altered: number;
  readonly dropped: number;
}

/**
 * Repeating an interrupted copy resumes it: what is there already is merged.
 * @throws Error when the source does not exist or a metastore refuses something.
 */
export async function copyTable(from: Metastore, source: Source, to: Metastore, target: Target): Promise<CopyCounts> {
  const table = await from.getTable(source.database, source.table);
  if (!table) throw new Error(`no table ${source.database}.${source.table} in the source metastore`);
  const rewritten = rewriteTable(table, target);
  const isPartitioned = (table.partitionKeys?.length ?? 0) > 0;
  const create = (await to.getTable(target.database, target.table)) === undefined;
  if (create) await to.createTable(rewritten);
  const changes = isPartitioned
    ? await compareAll(from.partitions(source.database, source.table), create ? none() : to.partitions(target.database, target.table))
    : { added: [], altered: [], dropped: [] };
  if (!create) await to.alterTable(rewritten);
  const rewrite = (partition: Partition): Partition => rewritePartition(partition, target);
  await to.addPartitions(changes.added.map(rewrite));
  await to.alterPartitions(changes.altered.map(rewrite));
  for (const { values = [] } of changes.dropped) await to.dropPartition(target.database, target.table, values);
  const { added, altered, dropped } = changes;
  return { created: create, added: added.length, altered: altered.length, dropped: dropped.length };
}

/** Copies a single partition. @param values one per partition column. */
export async function copyPartition(
  from: Metastore,
  source: Source,
  to: Metastore,
  target: Target,
  values: readonly string[],
): Promise<CopyCounts> {
  const found = await from.getPartition(source.database, source.table, values);
  if (!found) throw new Error(`no partition ${values.join(', ')} of ${source.database}.${source.table} in the source metastore`);
  if (!(await to.getTable(target.database, target.table)))
    throw new Error(`no table ${target.database}.${target.table} in the target metastore; copy the whole table first, without --partition`);
  const partition = rewritePartition(found, target);
  const exists = (await to.getPartition(target.database, target.table, values)) !== undefined;
  if (exists) await to.alterPartitions([partition]);
  else await to.addPartitions([partition]);
  return { created: false, added: exists ? 0 : 1, altered: exists ? 1 : 0, dropped: 0 };
}

async function* none(): AsyncGenerator<readonly Partition[]> {}
