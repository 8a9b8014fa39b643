/** Databases, tables and partitions as metastores know them. What a metastore left out is absent. */

type Parameters = Readonly<Record<string, string>>;

export interface Column {
  readonly name?: string;
  readonly type?: string;
  readonly comment?: string;
}

export interface SerDe {
  readonly name?: string;
  readonly serializationLib?: string;
  readonly parameters?: Parameters;
}

export interface SortColumn {
  readonly col?: string;
  readonly order?: number;
}

export interface SkewedInfo {
  readonly skewedColNames?: readonly string[];
  readonly skewedColValues?: readonly (readonly string[])[];
  readonly skewedColValueLocationMaps?: Parameters;
}

export interface StorageDescriptor {
  readonly cols?: readonly Column[];
  readonly location?: string;
  readonly inputFormat?: string;
  readonly outputFormat?: string;
  readonly compressed?: boolean;
  readonly numBuckets?: number;
  readonly serdeInfo?: SerDe;
  readonly bucketCols?: readonly string[];
  readonly sortCols?: readonly SortColumn[];
  readonly parameters?: Parameters;
  readonly skewedInfo?: SkewedInfo;
  readonly storedAsSubDirectories?: boolean;
}

export interface Table {
  readonly tableName?: string;
  readonly dbName?: string;
  readonly owner?: string;
  /** Seconds since 1970, as all times here. */
  readonly createTime?: number;
  readonly lastAccessTime?: number;
  readonly retention?: number;
  readonly sd?: StorageDescriptor;
  readonly partitionKeys?: readonly Column[];
  readonly parameters?: Parameters;
  readonly viewOriginalText?: string;
  readonly viewExpandedText?: string;
  readonly tableType?: string;
  readonly temporary?: boolean;
  readonly rewriteEnabled?: boolean;
}

export interface Partition {
  /** One per partition column. */
  readonly values?: readonly string[];
  readonly dbName?: string;
  readonly tableName?: string;
  readonly createTime?: number;
  readonly lastAccessTime?: number;
  readonly sd?: StorageDescriptor;
  readonly parameters?: Parameters;
}

export interface Database {
  readonly name?: string;
  readonly description?: string;
  readonly locationUri?: string;
  readonly parameters?: Parameters;
  readonly ownerName?: string;
  /** 1 a user, 2 a role, 3 a group. */
  readonly ownerType?: number;
}

/** Names a partition within its table. */
export function partitionName({ values = [] }: Partition): string {
  return values.join('-');
}
