/**
 * What a mark has found, in the forms other programs read: a folder of Parquet and text files, and a CSV file. Where they
 * lie is fixed: below `_lakefs` of the namespace, whatever folder this server uses.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { objectIn } from '../mark/object-lines.js';
import { ParquetFile } from '../prepare/parquet-file.js';
import { inNamespace } from '../prepare/places.js';
import type { Repository } from '@srv/engine/contract';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Marked } from '../mark/mark.js';
import type { RunRecord } from './run-record.js';

interface Report {
  readonly repository: Repository;
  readonly record: Pick<RunRecord, 'id' | 'startedAt' | 'cutoff'>;
  readonly marked: Pick<Marked, 'path' | 'candidates' | 'firstSlice'>;
}

const folder = '_lakefs/retention/gc';
const rowGroupRows = 100_000;

export async function writeReports({ repository, record, marked }: Report, { block }: { readonly block: BlockStore }): Promise<void> {
  const { id } = record;
  const place = (name: string) => inNamespace(repository, `${folder}/${name}`);
  const text = (line: (key: string) => string, header = ''): Readable =>
    Readable.from(lines(marked.path, line, header), { objectMode: false });
  await block.put(
    place(`unified/${id}/deleted.text/part-00000.txt`),
    text(key => key),
  );
  await block.put(place(`reports/${id}/deleted.csv`), text(csvField, 'address\n'));
  const file = await ParquetFile.create([{ name: 'address', type: 'text' }]);
  try {
    let rows: string[] = [];
    for await (const key of keysOf(marked.path)) {
      rows.push(key);
      if (rows.length < rowGroupRows) continue;
      await file.write([rows]);
      rows = [];
    }
    await file.write([rows]);
    await file.store(block, place(`unified/${id}/deleted/part-00000.parquet`));
  } finally {
    await file.close();
  }
  // The summary comes last: it says that the rest is whole. It must be one line.
  const summary = {
    run_id: id,
    success: true,
    first_slice: marked.firstSlice,
    start_time: new Date(record.startedAt).toISOString(),
    cutoff_time: new Date(record.cutoff).toISOString(),
    num_deleted_objects: marked.candidates,
  };
  for (const layout of ['unified', 'reports'])
    await block.put(place(`${layout}/${id}/summary.json`), Buffer.from(`${JSON.stringify(summary)}\n`));
}

async function* keysOf(path: string): AsyncGenerator<string> {
  const input = createReadStream(path);
  try {
    for await (const line of createInterface({ input })) if (line !== '') yield objectIn(line).key;
  } finally {
    input.destroy();
  }
}

async function* lines(path: string, line: (key: string) => string, header: string): AsyncGenerator<Buffer> {
  let chunk = header;
  for await (const key of keysOf(path)) {
    chunk += `${line(key)}\n`;
    if (chunk.length < 65_536) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  yield Buffer.from(chunk);
}

/** Signed addresses hold a comma. */
function csvField(key: string): string {
  return /[",\n]/.test(key) ? `"${key.replaceAll('"', '""')}"` : key;
}
