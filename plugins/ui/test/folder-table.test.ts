/** Files of a folder as one table, against rows that were put together by hand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memorySource } from '@srv/lib-records/tables/byte-source';
import { openFolder } from '@srv/lib-records/tables/folder-table';
import { complete, openTable } from '@srv/lib-records/tables/open-table';
import { selectRows } from '@srv/lib-records/tables/row-selection';
import { summarize } from '@srv/lib-records/tables/summarize';
import fc from 'fast-check';
import { tableParts } from '../src/model/table-parts.js';
import { allCells, openFile, testFolder } from './table-reading.js';
import type { ColumnSummary } from '@srv/lib-records/tables/column-summary';
import type { TablePart } from '@srv/lib-records/tables/folder-table';
import type { Cell, TableFile } from '@srv/lib-records/tables/table-file';

const seed = process.env['SRV_TEST_SEED'] === undefined ? {} : { seed: Number(process.env['SRV_TEST_SEED']) };

function csvPart(name: string, text: string): TablePart {
  return { name, size: text.length, open: () => openTable('delimited', memorySource(Buffer.from(text))) };
}

const names = ({ columns }: TableFile): string[] => columns.map(({ name }) => name);

describe('files of a folder as one table', () => {
  it('have the rows of all of them, columns by name, and what folders say', async () => {
    const table = await openFolder([
      csvPart('year=2023/a.csv', 'id,name\n1,a\n2,b\n'),
      csvPart('year=2024/b.csv', 'name,id,more\nc,3,x\n'),
      csvPart('year=__HIVE_DEFAULT_PARTITION__/c%20d.csv', 'id\n4\n'),
    ]);
    assert.deepEqual(names(table), ['id', 'name', 'more', 'year', '(file)']);
    assert.deepEqual(await allCells(table), [
      ['1', 'a', null, '2023', 'year=2023/a.csv'],
      ['2', 'b', null, '2023', 'year=2023/a.csv'],
      ['3', 'c', 'x', '2024', 'year=2024/b.csv'],
      ['4', null, null, null, 'year=__HIVE_DEFAULT_PARTITION__/c%20d.csv'],
    ]);
    assert.equal(table.columns[3]?.isNumeric, true);
    assert.equal(await complete(table, () => undefined), 4);
  });

  it('are read from any row on, sorted and summarized as their rows would be alone', async () => {
    const value = fc.option(fc.integer({ min: -50, max: 50 }).map(String), { nil: null });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.tuple(value, value), { maxLength: 5 }), { minLength: 1, maxLength: 6 }), async files => {
        const table = await openFolder(
          files.map((rows, i) => csvPart(`${i}.csv`, `a,b\n${rows.map(row => row.map(cell => cell ?? '').join(',')).join('\n')}\n`)),
        );
        const expected = files.flatMap((rows, i) => rows.map(([a, b]) => [a ?? '', b ?? '', `${i}.csv`]));
        // From the end on, before anything is counted.
        for (let row = expected.length - 1; row >= 0; row -= 2)
          assert.deepEqual(await table.cells(row, row + 1, [0, 1, 2]), [expected[row]]);
        assert.deepEqual(await table.cells(0, expected.length + 9, [0, 1, 2]), expected);
        const sorted = await selectRows(table, { conditions: [], sorting: { column: 1, isDown: false } }, () => undefined);
        const order = (row: number): number => (expected[row]?.[1] === '' ? Infinity : Number(expected[row]?.[1]));
        const naive = [...expected.keys()].sort((x, y) => (order(x) === order(y) ? x - y : order(x) - order(y)));
        assert.deepEqual([...sorted], naive);
      }),
      { numRuns: 60, ...seed },
    );
  });

  it('keep the types that all of them share, and compare others as texts', async () => {
    const arrow = (name: string): TablePart => ({ name, size: 1, open: () => openFile(`${testFolder}vectors/every-type.arrow`, 'arrow') });
    const alone = await openFile(`${testFolder}vectors/every-type.arrow`, 'arrow');
    const rows = await allCells(alone);
    const both = await openFolder([arrow('1.arrow'), arrow('2.arrow')]);
    assert.equal(both.total, rows.length * 2);
    const width = alone.columns.length;
    assert.deepEqual(
      (await allCells(both)).map(row => row.slice(0, width)),
      [...rows, ...rows],
    );
    assert.deepEqual(
      both.columns.slice(0, width).map(({ type }) => type),
      alone.columns.map(({ type }) => type),
    );
    const mixed = await openFolder([arrow('1.arrow'), csvPart('2.csv', 'int64,text\n-7,x\n')]);
    const place = names(mixed).indexOf('int64');
    const cells: Cell[] = [];
    for await (const { values, count } of mixed.scan([place]))
      for (let i = 0; i < count; i++) cells.push(mixed.columns[place]?.text(values[0]?.[i]) ?? null);
    assert.deepEqual(cells, [...rows.map(row => row[place] ?? null), '-7']);
    const found: ColumnSummary[] = [];
    await summarize(mixed, [place], (_, done) => void (done && found.push(done.summary)));
    assert.equal(found[0]?.rows, rows.length + 1);
  });

  it('name the file that cannot be read', async () => {
    const damaged: TablePart = { name: 'b.parquet', size: 4, open: () => openTable('parquet', memorySource(Buffer.from('none'))) };
    await assert.rejects(openFolder([csvPart('a.csv', 'a\n1\n'), damaged]), /^Error: b\.parquet: /);
  });

  it('are those of the format that most have, without notes and logs of writers', () => {
    const file = (path: string, size = 1) => ({ path, size, contentType: '' });
    const files = ['t/a.parquet', 't/x=1/b.parquet', 't/c.csv', 't/_SUCCESS', 't/_delta_log/0.json', 't/.crc.parquet', 't/notes.txt'];
    const { format, parts, others, isCut } = tableParts([...files.map(path => file(path)), file('t/empty.parquet', 0)], 't/');
    assert.deepEqual([format, parts.map(({ path }) => path), others, isCut], ['parquet', ['t/a.parquet', 't/x=1/b.parquet'], 2, false]);
  });
});
