/** Tables of Glue as those of Hive, and back. */
import type {
  DatabaseInput,
  Column as GlueColumn,
  Database as GlueDatabase,
  Partition as GluePartition,
  StorageDescriptor as GlueStorage,
  Table as GlueTable,
  PartitionInput,
  TableInput,
} from '@aws-sdk/client-glue';
import type { Column, Database, Partition, StorageDescriptor, Table } from '../tables.js';

/** The service refuses an empty name. */
const defaultSerde = 'default';
/** Between the values of one combination: the service knows a flat list. */
const separator = '\u0001';

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Leaves out members that are undefined. */
function present<T extends object>(members: Loose<T>): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null)) as T;
}

const seconds = (date: Date | undefined): number | undefined => date && Math.floor(date.getTime() / 1000);
const dateOf = (at: number | undefined): Date | undefined => (at ? new Date(at * 1000) : undefined);

export function tableOf(found: GlueTable): Table {
  return present<Table>({
    tableName: found.Name,
    dbName: found.DatabaseName,
    owner: found.Owner,
    createTime: seconds(found.CreateTime),
    lastAccessTime: seconds(found.LastAccessTime),
    retention: found.Retention,
    sd: found.StorageDescriptor && storageOf(found.StorageDescriptor),
    partitionKeys: found.PartitionKeys?.map(columnOf),
    parameters: found.Parameters,
    viewOriginalText: found.ViewOriginalText,
    viewExpandedText: found.ViewExpandedText,
    tableType: found.TableType,
  });
}

export function tableInput(table: Table): TableInput {
  return present<TableInput>({
    Name: table.tableName,
    Owner: table.owner,
    LastAccessTime: dateOf(table.lastAccessTime),
    Retention: table.retention,
    StorageDescriptor: table.sd && storageInput(table.sd),
    PartitionKeys: table.partitionKeys?.map(columnInput),
    Parameters: table.parameters,
    ViewOriginalText: table.viewOriginalText,
    ViewExpandedText: table.viewExpandedText,
    TableType: table.tableType,
  });
}

export function partitionOf(found: GluePartition): Partition {
  return present<Partition>({
    values: found.Values,
    dbName: found.DatabaseName,
    tableName: found.TableName,
    createTime: seconds(found.CreationTime),
    lastAccessTime: seconds(found.LastAccessTime),
    sd: found.StorageDescriptor && storageOf(found.StorageDescriptor),
    parameters: found.Parameters,
  });
}

export function partitionInput(partition: Partition): PartitionInput {
  return present<PartitionInput>({
    Values: partition.values && [...partition.values],
    LastAccessTime: dateOf(partition.lastAccessTime),
    StorageDescriptor: partition.sd && storageInput(partition.sd),
    Parameters: partition.parameters,
  });
}

export function databaseOf(found: GlueDatabase): Database {
  return present<Database>({
    name: found.Name,
    description: found.Description,
    locationUri: found.LocationUri,
    parameters: found.Parameters,
  });
}

export function databaseInput(database: Database): DatabaseInput {
  return present<DatabaseInput>({
    Name: database.name,
    Description: database.description || undefined,
    // The service refuses an empty one.
    LocationUri: database.locationUri || undefined,
    Parameters: database.parameters,
  });
}

function columnOf({ Name, Type, Comment }: GlueColumn): Column {
  return present<Column>({ name: Name, type: Type, comment: Comment });
}

function columnInput({ name, type, comment }: Column): GlueColumn {
  return present<GlueColumn>({ Name: name, Type: type, Comment: comment });
}

function storageOf(found: GlueStorage): StorageDescriptor {
  const { SerdeInfo: serde, SkewedInfo: skewed } = found;
  return present<StorageDescriptor>({
    cols: found.Columns?.map(columnOf),
    location: found.Location,
    inputFormat: found.InputFormat,
    outputFormat: found.OutputFormat,
    compressed: found.Compressed,
    numBuckets: found.NumberOfBuckets,
    serdeInfo: serde && present({ name: serde.Name, serializationLib: serde.SerializationLibrary, parameters: serde.Parameters }),
    bucketCols: found.BucketColumns,
    sortCols: found.SortColumns?.map(({ Column: col, SortOrder: order }) => present({ col, order })),
    parameters: found.Parameters,
    skewedInfo:
      skewed &&
      present({
        skewedColNames: skewed.SkewedColumnNames,
        skewedColValues: skewed.SkewedColumnValues?.map(values => values.split(separator)),
        skewedColValueLocationMaps: skewed.SkewedColumnValueLocationMaps,
      }),
    storedAsSubDirectories: found.StoredAsSubDirectories,
  });
}

function storageInput(sd: StorageDescriptor): GlueStorage {
  const { serdeInfo: serde, skewedInfo: skewed } = sd;
  return present<GlueStorage>({
    Columns: sd.cols?.map(columnInput),
    Location: sd.location,
    InputFormat: sd.inputFormat,
    OutputFormat: sd.outputFormat,
    Compressed: sd.compressed,
    NumberOfBuckets: sd.numBuckets,
    SerdeInfo:
      serde && present({ Name: serde.name || defaultSerde, SerializationLibrary: serde.serializationLib, Parameters: serde.parameters }),
    BucketColumns: sd.bucketCols && [...sd.bucketCols],
    SortColumns: sd.sortCols?.map(({ col, order }) => ({ Column: col ?? '', SortOrder: order ?? 1 })),
    Parameters: sd.parameters,
    SkewedInfo:
      skewed &&
      present({
        SkewedColumnNames: skewed.skewedColNames && [...skewed.skewedColNames],
        SkewedColumnValues: skewed.skewedColValues?.map(values => values.join(separator)),
        SkewedColumnValueLocationMaps: skewed.skewedColValueLocationMaps,
      }),
    StoredAsSubDirectories: sd.storedAsSubDirectories,
  });
}
