/** What the reader of Parquet files needs to unpack GZIP. */
import { gunzipSync } from 'node:zlib';

export const compressors = { GZIP: (bytes: Uint8Array): Uint8Array => new Uint8Array(gunzipSync(bytes)) };
