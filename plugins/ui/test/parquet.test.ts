/** Values of Parquet files, cell by cell, against what PyArrow says of them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { diffTables } from '@srv/lib-records/tables/table-diff';
import { memoryTable } from './support/memory-table.js';
import { allCells, assertRead, openFile, testFolder } from './table-reading.js';

const everyType = join(testFolder, 'vectors', 'every-type.parquet');

describe('a Parquet table', () => {
  it('is shown as it is stored, for values of every type', () => assertRead(everyType));

  it('has columns that are null in all rows, compressed by any codec', async () => {
    for (const codec of ['snappy', 'gzip', 'brotli', 'lz4', 'zstd']) {
      const table = await openFile(join(testFolder, 'vectors', `nulls.${codec}.parquet`), 'parquet');
      const expected = [
        [null, '1'],
        [null, '2'],
      ];
      assert.deepEqual(await allCells(table), expected, codec);
    }
  });

  it('differs from another one by what no number of the browser holds', async () => {
    const table = await openFile(everyType, 'parquet');
    const rows = await allCells(table);
    const names = table.columns.map(({ name }) => name);
    for (const [i, { name }] of table.columns.entries()) {
      const changed = rows.map((row, at) => (at === 3 ? row.map((cell, j) => (j === i ? (cell === null ? '' : null) : cell)) : row));
      const { counts, before } = await diffTables(table, memoryTable(names, changed), [rows.length, rows.length]);
      assert.equal(counts.same, rows.length - 1, name);
      assert.ok(before.includes(3), name);
    }
  });
});
