/** Values of Parquet files, cell by cell, against what PyArrow says of them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { memorySource } from '@srv/lib-records/tables/byte-source';
import { openTable } from '@srv/lib-records/tables/open-table';
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

  it('that is damaged is refused in words; errors of its source come unchanged', async () => {
    const whole = readFileSync(everyType);
    const refused = /^Error: this Parquet file cannot be read: it is damaged, encrypted, or of another format$/;
    const cut = whole.subarray(0, -1);
    const footless = Buffer.from('PAR1 this is xxx, not one PAR1');
    const garbled = Buffer.from(whole);
    garbled.fill(0xff, whole.length - 200, whole.length - 8);
    for (const bytes of [Buffer.from(''), Buffer.from('PAR1'), cut, footless, garbled])
      await assert.rejects(openTable('parquet', memorySource(bytes)), refused, `${bytes.length} bytes`);
    const pages = Buffer.from(whole);
    pages.fill(0xff, 4, 400);
    const table = await openTable('parquet', memorySource(pages));
    await assert.rejects(allCells(table), /^Error: this Parquet file (?:cannot be read: it is damaged|is damaged)/);
    const gone = new Error('the server cannot be reached');
    await assert.rejects(openTable('parquet', { size: whole.length, read: () => Promise.reject(gone) }), gone);
  });

  it('has as many rows as it says, whatever its footer claims', async () => {
    const whole = readFileSync(join(testFolder, 'vectors', 'nulls.snappy.parquet'));
    const footer = whole.length - 8 - whole.readUInt32LE(whole.length - 8);
    let opened = 0;
    for (let at = footer; at < whole.length - 8; at++) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0x04;
      const table = await openTable('parquet', memorySource(changed)).catch(() => undefined);
      if (!table) continue;
      opened++;
      let rows = 0;
      for await (const { count } of table.scan([])) rows += count;
      assert.equal(rows, table.total, `byte ${at}`);
    }
    assert.ok(opened > 0);
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
