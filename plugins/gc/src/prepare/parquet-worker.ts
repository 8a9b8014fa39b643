/** Writes one Parquet file; in a thread of its own, as packing holds it for long. */
import { gzipSync } from 'node:zlib';
import { parentPort, workerData } from 'node:worker_threads';
import { ParquetWriter, fileWriter } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet-writer';

/** Rows of one row group: a column each, in the order of the schema. */
export interface RowGroup {
  readonly columns: readonly (readonly (string | number)[])[];
}

export type ParquetRequest = RowGroup | 'finish';

export interface ParquetFacts {
  readonly path: string;
  readonly columns: readonly { readonly name: string; readonly type: 'text' | 'integer' }[];
}

const { path, columns } = workerData as ParquetFacts;
const schema: SchemaElement[] = [
  { name: 'schema', num_children: columns.length },
  ...columns.map(
    ({ name, type }): SchemaElement =>
      type === 'text'
        ? { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' }
        : { name, type: 'INT64', converted_type: 'INT_64', repetition_type: 'REQUIRED' },
  ),
];
const writer = new ParquetWriter({
  writer: fileWriter(path),
  schema,
  codec: 'GZIP',
  compressors: { GZIP: bytes => gzipSync(bytes) },
  statistics: false,
  createdBy: 'srv',
});

parentPort?.on('message', (request: ParquetRequest) => {
  if (request === 'finish') void finish();
  else {
    const columnData = columns.map(({ name, type }, i) => {
      const values = request.columns[i] ?? [];
      return { name, data: type === 'text' ? values : BigInt64Array.from(values, value => BigInt(value)) };
    });
    void writer.write({ columnData: columnData.map(c => ({ ...c, data: c.data as string[] | BigInt64Array })) });
    parentPort?.postMessage('written');
  }
});

async function finish(): Promise<void> {
  await writer.finish();
  parentPort?.postMessage('finished');
  parentPort?.close();
}
