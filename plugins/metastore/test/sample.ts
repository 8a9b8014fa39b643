/** Tables for tests, and metastores that hold them. */
import type { Metastore } from '../src/metastore.js';
import type { Partition, Table } from '../src/tables.js';

/** Every member that a metastore keeps. */
export function sampleTable(database: string, name: string, root = 's3a://lakes/main'): Table {
  return {
    tableName: name,
    dbName: database,
    owner: 'ann',
    lastAccessTime: 1_700_000_000,
    retention: 7,
    sd: {
      cols: [
        { name: 'id', type: 'bigint', comment: 'key' },
        { name: 'näme', type: 'string', comment: '' },
      ],
      location: `${root}/${name}`,
      inputFormat: 'in',
      outputFormat: 'out',
      compressed: true,
      numBuckets: 4,
      serdeInfo: { name: 'old', serializationLib: 'lib', parameters: { 'serialization.format': '1' } },
      bucketCols: ['id'],
      sortCols: [{ col: 'id', order: 0 }],
      parameters: { a: 'b' },
      skewedInfo: { skewedColNames: ['id'], skewedColValues: [['1'], ['2']], skewedColValueLocationMaps: {} },
      storedAsSubDirectories: false,
    },
    partitionKeys: [
      { name: 'year', type: 'string' },
      { name: 'month', type: 'string' },
    ],
    parameters: { EXTERNAL: 'TRUE' },
    viewOriginalText: 'v',
    viewExpandedText: 'w',
    tableType: 'EXTERNAL_TABLE',
  };
}

export function samplePartition({ dbName, tableName, sd }: Table, values: readonly string[], lastAccessTime = 1_700_000_000): Partition {
  return {
    values,
    ...(dbName === undefined ? {} : { dbName }),
    ...(tableName === undefined ? {} : { tableName }),
    lastAccessTime,
    sd: { ...sd, location: `${sd?.location ?? ''}/year=${values[0]}/month=${values[1]}` },
    parameters: { rows: '1' },
  };
}

/** Values of partition number `i`. */
export const valuesOf = (i: number): readonly string[] => [String(2000 + Math.floor(i / 12)), String((i % 12) + 1).padStart(2, '0')];

/** A table with partitions 0 to `count` - 1, in a database that is made for it. */
export async function fill(metastore: Metastore, database: string, name: string, count: number, root?: string): Promise<Table> {
  if (!(await metastore.getDatabase(database))) await metastore.createDatabase({ name: database, locationUri: 's3a://lakes/main/db' });
  const table = sampleTable(database, name, root);
  await metastore.createTable(table);
  await metastore.addPartitions(Array.from({ length: count }, (_, i) => samplePartition(table, valuesOf(i))));
  return table;
}

export async function allPartitions(metastore: Metastore, database: string, table: string): Promise<Partition[]> {
  const found: Partition[] = [];
  for await (const page of metastore.partitions(database, table)) found.push(...page);
  return found;
}
