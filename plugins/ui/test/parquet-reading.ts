/** Reads Parquet files as the page does, and compares them with what another reader says of each cell. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readParquet } from '../src/model/parquet-table.js';
import type { ParquetTable } from '../src/model/parquet-table.js';

/** Of the sources of these tests. */
export const testFolder = fileURLToPath(new URL('../../test/', import.meta.url));

export async function readTable(path: string): Promise<ParquetTable> {
  const bytes = readFileSync(path);
  const slice = (start: number, end = bytes.length): ArrayBuffer => Uint8Array.from(bytes.subarray(start, end)).buffer;
  return readParquet({ byteLength: bytes.length, slice }, Infinity);
}

/** @param path of a file with texts of its columns beside it, in `<path>.json`. */
export async function assertRead(path: string): Promise<void> {
  const expected = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Readonly<Record<string, readonly (string | null)[]>>;
  const { columns, rows, total } = await readTable(path);
  assert.deepEqual(
    columns.map(({ name }) => name),
    Object.keys(expected),
  );
  for (const [i, { name, type }] of columns.entries()) {
    assert.equal(total, expected[name]?.length);
    assert.deepEqual(
      rows.map(row => row[i]),
      expected[name],
      `${name}, ${type}`,
    );
  }
}
