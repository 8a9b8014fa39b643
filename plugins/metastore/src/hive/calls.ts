/** Calls of the Hive metastore: arguments by id, result, and what each exception means. */
import { database, partition, table } from './structs.js';
import { bool, i16, i32, list, struct, text } from './thrift-codec.js';
import type { MetastoreError } from '../metastore.js';
import type { Codec, StructFields, StructValue } from './thrift-codec.js';

type FailureKind = MetastoreError['kind'];

export interface Call<A, R> {
  readonly name: string;
  readonly args: Codec<A>;
  /** Absent: the call returns nothing. */
  readonly success: Codec<R> | undefined;
  /** Meaning of the exceptions with ids 1, 2, … */
  readonly failures: readonly FailureKind[];
}

function call<const F extends StructFields, R>(
  name: string,
  args: F,
  success: Codec<R> | undefined,
  ...failures: readonly FailureKind[]
): Call<StructValue<F>, R> {
  return { name, args: struct(args), success, failures };
}

const nothing = undefined;
const ofTable = { dbName: [1, text], tableName: [2, text] } as const;

export const calls = {
  getTable: call('get_table', ofTable, table, 'other', 'missing'),
  createTable: call('create_table', { table: [1, table] }, nothing, 'exists', 'other', 'other', 'missing'),
  alterTable: call('alter_table', { ...ofTable, table: [3, table] }, nothing, 'other', 'other'),
  getTables: call('get_tables', { dbName: [1, text], pattern: [2, text] }, list(text), 'other'),
  getPartitions: call('get_partitions', { ...ofTable, max: [3, i16] }, list(partition), 'missing', 'other'),
  getPartition: call('get_partition', { ...ofTable, values: [3, list(text)] }, partition, 'other', 'missing'),
  addPartitions: call('add_partitions', { partitions: [1, list(partition)] }, i32, 'other', 'exists', 'other'),
  alterPartitions: call('alter_partitions', { ...ofTable, partitions: [3, list(partition)] }, nothing, 'other', 'other'),
  dropPartition: call('drop_partition', { ...ofTable, values: [3, list(text)], deleteData: [4, bool] }, bool, 'missing', 'other'),
  getDatabase: call('get_database', { name: [1, text] }, database, 'missing', 'other'),
  getDatabases: call('get_databases', { pattern: [1, text] }, list(text), 'other'),
  createDatabase: call('create_database', { database: [1, database] }, nothing, 'exists', 'other', 'other'),
} as const;
