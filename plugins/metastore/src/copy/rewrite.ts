/** Tables and partitions as the target of a copy gets them. */

import { relocate } from './location.js';
import type { Partition, StorageDescriptor, Table } from '../tables.js';
import type { LocationRule } from './location.js';

export interface Target {
  readonly database: string;
  readonly table: string;
  /** Name of the serde. */
  readonly serde: string;
  readonly rule: LocationRule;
  readonly dbfsRoot: string;
  /** Replaces the input format. */
  readonly inputFormat?: string;
  /** Gives tables of Spark their real location instead of its placeholder. */
  readonly fixSparkPlaceholder: boolean;
}

const placeholder = '-__PLACEHOLDER__';

export function rewriteTable(table: Table, target: Target): Table {
  return {
    ...table,
    dbName: target.database,
    tableName: target.table,
    ...(table.sd ? { sd: rewriteStorage(table.sd, target, table.parameters?.['spark.sql.sources.provider'] !== undefined) } : {}),
  };
}

export function rewritePartition(partition: Partition, target: Target): Partition {
  return {
    ...partition,
    dbName: target.database,
    tableName: target.table,
    ...(partition.sd ? { sd: rewriteStorage(partition.sd, target, false) } : {}),
  };
}

function rewriteStorage(sd: StorageDescriptor, target: Target, ofSpark: boolean): StorageDescriptor {
  const { rule, dbfsRoot, inputFormat, fixSparkPlaceholder, serde } = target;
  const { location = '' } = sd;
  const isPlaceholder = ofSpark && location.endsWith(placeholder);
  const path = sd.serdeInfo?.parameters?.['path'];
  const realPath = isPlaceholder && path !== undefined ? relocate(path, rule, dbfsRoot) : undefined;
  const moved = isPlaceholder ? (fixSparkPlaceholder ? (realPath ?? location) : location) : relocate(location, rule, dbfsRoot);
  return {
    ...sd,
    ...(sd.location === undefined ? {} : { location: moved }),
    ...(inputFormat === undefined ? {} : { inputFormat }),
    serdeInfo: {
      ...sd.serdeInfo,
      name: serde,
      ...(realPath === undefined ? {} : { parameters: { ...sd.serdeInfo?.parameters, path: realPath } }),
    },
  };
}
