/** Structs of the Hive metastore. Field ids are its contract. */

import { bool, i32, list, struct, text, textMap } from './thrift-codec.js';
import type { Column, Database, Partition, SerDe, SkewedInfo, SortColumn, StorageDescriptor, Table } from '../tables.js';
import type { Codec } from './thrift-codec.js';

const column: Codec<Column> = struct({ name: [1, text], type: [2, text], comment: [3, text] });
const serDe: Codec<SerDe> = struct({ name: [1, text], serializationLib: [2, text], parameters: [3, textMap] });
const sortColumn: Codec<SortColumn> = struct({ col: [1, text], order: [2, i32] });
const skewedInfo: Codec<SkewedInfo> = struct({
  skewedColNames: [1, list(text)],
  skewedColValues: [2, list(list(text))],
  skewedColValueLocationMaps: [3, textMap],
});

const storageDescriptor: Codec<StorageDescriptor> = struct({
  cols: [1, list(column)],
  location: [2, text],
  inputFormat: [3, text],
  outputFormat: [4, text],
  compressed: [5, bool],
  numBuckets: [6, i32],
  serdeInfo: [7, serDe],
  bucketCols: [8, list(text)],
  sortCols: [9, list(sortColumn)],
  parameters: [10, textMap],
  skewedInfo: [11, skewedInfo],
  storedAsSubDirectories: [12, bool],
});

export const table: Codec<Table> = struct({
  tableName: [1, text],
  dbName: [2, text],
  owner: [3, text],
  createTime: [4, i32],
  lastAccessTime: [5, i32],
  retention: [6, i32],
  sd: [7, storageDescriptor],
  partitionKeys: [8, list(column)],
  parameters: [9, textMap],
  viewOriginalText: [10, text],
  viewExpandedText: [11, text],
  tableType: [12, text],
  temporary: [14, bool],
  rewriteEnabled: [15, bool],
});

export const partition: Codec<Partition> = struct({
  values: [1, list(text)],
  dbName: [2, text],
  tableName: [3, text],
  createTime: [4, i32],
  lastAccessTime: [5, i32],
  sd: [6, storageDescriptor],
  parameters: [7, textMap],
});

export const database: Codec<Database> = struct({
  name: [1, text],
  description: [2, text],
  locationUri: [3, text],
  parameters: [4, textMap],
  ownerName: [6, text],
  ownerType: [7, i32],
});
