/** Arrow and Avro: values of every type, cell by cell, and files that are damaged on purpose. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runCount, seededRandom } from '@srv/kernel/testing';
import { memorySource } from '@srv/lib-records/tables/byte-source';
import { ColumnCounter } from '@srv/lib-records/tables/column-summary';
import { complete, openTable } from '@srv/lib-records/tables/open-table';
import { selectRows } from '@srv/lib-records/tables/row-selection';
import { allCells, assertRead, openFile, testFolder } from './table-reading.js';

const vector = (format: string): string => join(testFolder, 'vectors', `every-type.${format}`);

for (const format of ['arrow', 'avro'] as const)
  describe(`a table of ${format}`, () => {
    it('is shown as it is stored, for values of every type', () => assertRead(vector(format), format));

    it('is sorted and summarized by its values', async () => {
      const table = await openFile(vector(format), format);
      const total = await complete(table, () => undefined);
      const rows = await allCells(table);
      for (const [i, column] of table.columns.entries()) {
        const sorted = await selectRows(table, { conditions: [], sorting: { column: i, isDown: false } }, () => undefined);
        assert.equal(sorted.length, total, column.name);
        const counter = new ColumnCounter(column);
        for await (const { values, count } of table.scan([i])) counter.add(values[0] ?? [], count);
        const cells = rows.map(row => row[i] ?? null);
        assert.equal(counter.summary.nulls, cells.filter(cell => cell === null).length, column.name);
        const filled = [...sorted].map(row => cells[row] ?? null).filter(cell => cell !== null && cell !== 'NaN' && cell !== '');
        if (filled.length > 0) assert.equal(counter.summary.least, filled[0], column.name);
      }
    });

    it('that is damaged is an error with words, never an endless loop', async () => {
      const random = seededRandom();
      const whole = readFileSync(vector(format));
      for (let i = 0; i < runCount(150, 1500); i++) {
        const bytes = Buffer.from(random.below(4) === 0 ? whole.subarray(0, random.below(whole.length)) : whole);
        for (let j = random.below(6); j >= 0 && bytes.length > 0; j--) bytes[random.below(bytes.length)] = random.below(256);
        try {
          const table = await openTable(format, memorySource(bytes));
          await table.cells(0, 20, [...table.columns.keys()]);
          let batches = 0;
          for await (const _ of table.scan([...table.columns.keys()])) if (++batches > 10) break;
        } catch (error) {
          assert.ok(error instanceof Error);
          assert.match(error.message, /^this (?:Arrow|Avro) file (?:cannot be read|is damaged): /);
        }
      }
    });
  });
