/** Values of Parquet files, cell by cell, against what PyArrow says of them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { diffTables } from '../src/model/table-diff.js';
import { assertRead, readTable, testFolder } from './parquet-reading.js';

const everyType = join(testFolder, 'vectors', 'every-type.parquet');

describe('a Parquet table', () => {
  it('is shown as it is stored, for values of every type', () => assertRead(everyType));

  it('differs from another one by what no number of the browser holds', async () => {
    const { columns, rows } = await readTable(everyType);
    const names = columns.map(({ name }) => name);
    for (const [i, { name }] of columns.entries()) {
      const changed = rows.map((row, at) => (at === 3 ? row.map((cell, j) => (j === i ? (cell === null ? '' : null) : cell)) : row));
      const { same, changes } = diffTables({ columns: names, rows }, { columns: names, rows: changed });
      assert.equal(same, rows.length - 1, name);
      assert.ok(changes.length > 0, name);
    }
  });
});
