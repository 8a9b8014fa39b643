/** Parquet, read by ranges: its footer first, then the rows that are looked at. */
import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { send } from '../../core/client.js';
import type { AsyncBuffer } from 'hyparquet';

interface ParquetObject {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
  readonly size: number;
}

interface ParquetTable {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** Rows there are. */
  readonly total: number;
}

/** The object as the reader asks for it. */
function bufferOf({ repository, ref, path, size }: ParquetObject, signal: AbortSignal): AsyncBuffer {
  return {
    byteLength: size,
    async slice(start, end = size) {
      const response = await send('getObject', { repository, ref, path, Range: `bytes=${start}-${end - 1}` }, { signal });
      return response.arrayBuffer();
    },
  };
}

/** @param most rows from the first. */
export async function readTable(object: ParquetObject, most: number, signal: AbortSignal): Promise<ParquetTable> {
  const file = bufferOf(object, signal);
  const metadata = await parquetMetadataAsync(file);
  const columns = parquetSchema(metadata).children.map(({ element: { name, type, converted_type: converted } }) => ({
    name,
    type: (converted ?? type ?? 'group').toLowerCase(),
  }));
  const total = Number(metadata.num_rows);
  const rows = await parquetReadObjects({ file, metadata, compressors, rowStart: 0, rowEnd: Math.min(total, most) });
  return { columns, total, rows: rows.map(row => columns.map(({ name }) => row[name])) };
}
