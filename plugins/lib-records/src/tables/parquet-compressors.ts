/** What pages of Parquet files are unpacked by. */
import { compressors } from 'hyparquet-compressors';
import type { Compressors } from 'hyparquet';

/** Pages without a value have no bytes, which a decompressor may refuse: a column that is null in all rows has an empty dictionary. */
export const parquetCompressors: Compressors = Object.fromEntries(
  Object.entries(compressors).map(([codec, unpack]) => [
    codec,
    (bytes: Uint8Array, size: number) => (size === 0 ? new Uint8Array() : unpack(bytes, size)),
  ]),
);
