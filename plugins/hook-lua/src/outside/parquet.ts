/** Rows of Parquet files as JSON: checkpoints of Delta tables. */

import { parquetCompressors as compressors } from '@srv/lib-records/tables/parquet-compressors';
import { parquetReadObjects } from 'hyparquet';
import type { OutsideService } from './protocol.js';

const parquet: OutsideService = {
  /** One line of JSON a row, with the columns that are not null. */
  async rowsAsJson(input) {
    const { buffer } = new Uint8Array(input.bytes('data'));
    const rows = await parquetReadObjects({ file: buffer, compressors });
    return rows.map(row => JSON.stringify(withoutNulls(row)));
  },
};

export default parquet;

function withoutNulls(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null && item !== undefined)
      .map(([key, item]) => [key, withoutNulls(item)]),
  );
}
