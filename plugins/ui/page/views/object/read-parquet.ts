/** Parquet objects, of which only those ranges are fetched that are looked at. */

import { send } from '@srv/lib-page/page';
import { readParquet } from '../../../src/model/parquet-table.js';
import type { AsyncBuffer } from 'hyparquet';
import type { ParquetTable } from '../../../src/model/parquet-table.js';

interface ParquetObject {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
  readonly size: number;
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
export function readTable(object: ParquetObject, most: number, signal: AbortSignal): Promise<ParquetTable> {
  return readParquet(bufferOf(object, signal), most);
}
