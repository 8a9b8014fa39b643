/** Reads tables as the page does, and compares them with what another reader says of each cell. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { memorySource } from '@srv/lib-records/tables/byte-source';
import { complete, openTable } from '@srv/lib-records/tables/open-table';
import type { Cell, TableFile } from '@srv/lib-records/tables/table-file';
import type { TableFormat } from '@srv/lib-records/tables/table-format';

/** Of the sources of these tests. */
export const testFolder = fileURLToPath(new URL('../../test/', import.meta.url));

export function openFile(path: string, format: TableFormat): Promise<TableFile> {
  return openTable(format, memorySource(readFileSync(path)));
}

export function allCells(table: TableFile): Promise<Cell[][]> {
  return table.cells(
    0,
    Infinity,
    table.columns.map((_, i) => i),
  );
}

/** @param path of a file with texts of its columns beside it, in `<path>.json`. */
export async function assertRead(path: string, format: TableFormat = 'parquet'): Promise<void> {
  const expected = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Readonly<Record<string, readonly (string | null)[]>>;
  const table = await openFile(path, format);
  await complete(table, () => undefined);
  const rows = await allCells(table);
  assert.deepEqual(
    table.columns.map(({ name }) => name),
    Object.keys(expected),
  );
  for (const [i, { name, type, text }] of table.columns.entries()) {
    const column = expected[name] ?? [];
    assert.equal(table.total, column.length);
    const read = rows.map(row => row[i]);
    assert.deepEqual(read, column, `${name}, ${type}`);
    // From any row on, and as the whole of the file is read.
    const middle = Math.floor(column.length / 2);
    assert.deepEqual((await table.cells(middle, middle + 2, [i])).flat(), column.slice(middle, middle + 2), `${name} from ${middle}`);
    const scanned: Cell[] = [];
    for await (const { values, count } of table.scan([i])) for (let row = 0; row < count; row++) scanned.push(text(values[0]?.[row]));
    assert.deepEqual(scanned, column, `${name} as a whole`);
  }
}
