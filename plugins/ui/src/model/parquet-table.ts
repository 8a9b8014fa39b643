/** Parquet, read by ranges: its footer first, then the rows that are looked at. */
import { parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { isNumeric, parquetText, physicalSchema, typeName } from './parquet-values.js';
import type { AsyncBuffer } from 'hyparquet';
import type { Cell } from './table-diff.js';

export interface ParquetTable {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly isNumeric: boolean }[];
  /** Values as text, exactly as they are stored. */
  readonly rows: readonly (readonly Cell[])[];
  /** Rows there are. */
  readonly total: number;
}

/** @param most rows from the first. */
export async function readParquet(file: AsyncBuffer, most: number): Promise<ParquetTable> {
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const types = parquetSchema(metadata).children;
  const total = Number(metadata.num_rows);
  let rows: readonly (readonly unknown[])[] = [];
  await parquetRead({
    file,
    metadata: { ...metadata, schema: physicalSchema(metadata.schema) },
    compressors,
    rowStart: 0,
    rowEnd: Math.min(total, most),
    utf8: false,
    geoparquet: false,
    useOffsetIndex: true,
    // Of the oldest kind of time, which the reader always takes apart.
    parsers: { timestampFromNanoseconds: nanos => nanos },
    onComplete: found => (rows = found),
  });
  return {
    columns: types.map(type => ({ name: type.element.name, type: typeName(type), isNumeric: isNumeric(type) })),
    total,
    rows: rows.map(row => types.map((type, i) => parquetText(type, row[i]))),
  };
}
