/** Rows as Parquet files of bounded size. */
import { setImmediate } from 'node:timers/promises';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { parquetSchema, parquetValue } from './columns.js';
import type { SystemTable } from '@srv/lib-records/tables/system-tables';

export interface ParquetFile {
  readonly bytes: Buffer;
  readonly rows: number;
}

/** A group is encoded without a break. */
const groupRows = 400;
const fileRows = 100_000;

export async function* parquetFiles(
  columns: SystemTable['columns'],
  rows: AsyncIterable<Readonly<Record<string, unknown>>>,
): AsyncGenerator<ParquetFile> {
  let file: { readonly to: ByteWriter; readonly writer: ParquetWriter; rows: number } | undefined;
  let group: Readonly<Record<string, unknown>>[] = [];
  const finished = async (): Promise<ParquetFile[]> => {
    if (!file) return [];
    await file.writer.finish();
    const found = { bytes: Buffer.from(file.to.getBytes()), rows: file.rows };
    file = undefined;
    return [found];
  };
  const add = async (): Promise<void> => {
    if (group.length === 0) return;
    if (!file) {
      const to = new ByteWriter();
      file = { to, writer: new ParquetWriter({ writer: to, schema: parquetSchema(columns) }), rows: 0 };
    }
    const data = Object.entries(columns).map(([name, type]) => ({ name, data: group.map(row => parquetValue(type, row[name])) }));
    await file.writer.write({ columnData: data, rowGroupSize: groupRows });
    file.rows += group.length;
    group = [];
    await setImmediate();
  };
  for await (const row of rows) {
    group.push(row);
    if (group.length < groupRows) continue;
    await add();
    if ((file?.rows ?? 0) >= fileRows) yield* await finished();
  }
  await add();
  yield* await finished();
}
