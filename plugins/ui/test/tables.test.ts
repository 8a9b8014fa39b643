/** Tables of texts, from one module for every view and every difference: exact, of any size, read by ranges. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCount, seededRandom } from '@srv/kernel/testing';
import { memorySource } from '@srv/lib-records/tables/byte-source';
import { cellsAt } from '@srv/lib-records/tables/cells-at';
import { ColumnCounter } from '@srv/lib-records/tables/column-summary';
import { complete, openTable } from '@srv/lib-records/tables/open-table';
import { selectRows } from '@srv/lib-records/tables/row-selection';
import { diffTables } from '@srv/lib-records/tables/table-diff';
import { compareOrders } from '@srv/lib-records/tables/table-file';
import { textOrder } from '@srv/lib-records/tables/text-order';
import fc from 'fast-check';
import { memoryTable } from './support/memory-table.js';
import { allCells } from './table-reading.js';
import type { Condition, Sorting } from '@srv/lib-records/tables/row-selection';
import type { Cell, TableFile } from '@srv/lib-records/tables/table-file';
import type { TableFormat } from '@srv/lib-records/tables/table-format';

const seed = process.env['SRV_TEST_SEED'] === undefined ? {} : { seed: Number(process.env['SRV_TEST_SEED']) };

function tableOf(text: string | Uint8Array, format: TableFormat = 'delimited'): Promise<TableFile> {
  return openTable(format, memorySource(typeof text === 'string' ? Buffer.from(text) : text));
}

const names = ({ columns }: TableFile): string[] => columns.map(({ name }) => name);

async function diffOf(before: TableFile, after: TableFile, key?: readonly string[]) {
  const totals = [await complete(before, () => undefined), await complete(after, () => undefined)] as const;
  return diffTables(before, after, totals, key ? { key } : {});
}

describe('delimited text', () => {
  it('is read with quotes and line breaks', async () => {
    const table = await tableOf('a,b\r\n"x, ""y""\nz",2\r\n\r\n""z,\n');
    assert.deepEqual(names(table), ['a', 'b']);
    assert.deepEqual(await allCells(table), [
      ['x, "y"\nz', '2'],
      ['z', ''],
    ]);
    assert.deepEqual(await allCells(await tableOf('a\tb\n1\t2')), [['1', '2']]);
    assert.deepEqual(await allCells(await tableOf('a\r1\r2')), [['1'], ['2']]);
    assert.deepEqual([names(await tableOf('')), (await tableOf('')).total], [[], 0]);
  });

  it('keeps fields beyond the header, and distinguishes them in differences', async () => {
    const before = await tableOf('id,name\n1,a,extra\n2,b\n');
    assert.deepEqual(names(before), ['id', 'name', '(column 3)']);
    assert.deepEqual(await allCells(before), [
      ['1', 'a', 'extra'],
      ['2', 'b', null],
    ]);
    const { counts } = await diffOf(before, await tableOf('id,name\n1,a,other\n2,b\n'));
    assert.deepEqual(counts, { added: 0, removed: 0, changed: 1, same: 1 });
  });

  it('finds fields beyond the header after millions of bytes, too', async () => {
    const table = await tableOf(`id,name\n${'1,a\n'.repeat(400_000)}2,b,late\n`);
    assert.deepEqual(names(table), ['id', 'name']);
    assert.equal(await complete(table, () => undefined), 400_001);
    assert.deepEqual(names(table), ['id', 'name', '(column 3)']);
    assert.deepEqual(await table.cells(400_000, 400_002, [0, 1, 2]), [['2', 'b', 'late']]);
  });

  it('finds the delimiter outside of quotes, by the records that agree', async () => {
    const cases: [string, string[]][] = [
      ['"a;b;c;d",x\n"e",y\n', ['a;b;c;d', 'x']],
      ['"say ""a,b,c""";n\n1;2\n', ['say "a,b,c"', 'n']],
      ['a\tb, c, d\n1\t2\n', ['a', 'b, c, d']],
      ['one column, with text\nanother line\nand more\n', ['one column', ' with text']],
      ['"x\ny,z";q\n1;2\n', ['x\ny,z', 'q']],
    ];
    for (const [text, columns] of cases) assert.deepEqual(names(await tableOf(text)).slice(0, columns.length), columns, text);
  });

  it('is read in UTF-8, UTF-16 and Windows-1252, with a note where it is not UTF-8', async () => {
    const text = 'größe,"zwei\nZeilen"\n1,ä\n';
    const expected = { names: ['größe', 'zwei\nZeilen'], cells: [['1', 'ä']] };
    const encoded: [Uint8Array, string][] = [
      [Buffer.from(text), ''],
      [Buffer.from(`\ufeff${text}`), ''],
      [Buffer.from(`\ufeff${text}`, 'utf16le'), 'The text is UTF-16LE.'],
      [Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 'The text is UTF-16BE.'],
      [Buffer.from(text, 'latin1'), 'The text is not UTF-8; it is shown as Windows-1252.'],
    ];
    for (const [bytes, note] of encoded) {
      const table = await tableOf(bytes);
      assert.deepEqual({ names: names(table), cells: await allCells(table) }, expected, note);
      assert.deepEqual(table.notes, note === '' ? [] : [note]);
    }
  });

  it('keeps all bytes of the first row where those of the header are damaged, with a note', async () => {
    const rows = Buffer.from('12345,2\n3,4\n');
    const cells = [
      ['12345', '2'],
      ['3', '4'],
    ];
    const one = '1 byte is not UTF-8 and shown as \ufffd.';
    const headers: [Uint8Array, readonly string[], readonly string[]][] = [
      [Buffer.concat([Buffer.from('äöü'), Buffer.from([0xff]), Buffer.from(',b\n')]), ['äöü\ufffd', 'b'], [one]],
      // Cut within a character, and after empty lines.
      [Buffer.concat([Buffer.from('\r\n\näöü'), Buffer.from([0xe2, 0x82]), Buffer.from(',b\r\n')]), ['äöü\ufffd', 'b'], [one]],
      // With a mark of the byte order it is UTF-8, however much is damaged.
      [
        Buffer.concat([Buffer.from('\ufeffa'), Buffer.from([0xff, 0xfe]), Buffer.from(',"b\nc"\n')]),
        ['a\ufffd\ufffd', 'b\nc'],
        ['2 bytes are not UTF-8 and shown as \ufffd.'],
      ],
      [Buffer.from('größe,b\n', 'latin1'), ['größe', 'b'], ['The text is not UTF-8; it is shown as Windows-1252.']],
    ];
    for (const [header, expected, notes] of headers) {
      const table = await tableOf(Buffer.concat([header, rows]));
      assert.deepEqual({ names: names(table), cells: await allCells(table) }, { names: expected, cells });
      assert.deepEqual(table.notes, notes);
    }
    const damaged = (value: string): Promise<TableFile> =>
      tableOf(Buffer.concat([headers[0]?.[0] ?? rows, Buffer.from(`${value},2\n3,4\n`)]));
    const { counts } = await diffOf(await damaged('12345'), await damaged('99345'));
    assert.deepEqual(counts, { added: 1, removed: 1, changed: 0, same: 1 });
  });

  it('gives back what was written, wherever it is cut into blocks', async () => {
    const field = fc.stringMatching(/^[a-z0-9",;\t |é\n\r ]{0,6}$/);
    const quotedField = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(field, field, field), { minLength: 1, maxLength: 12 }),
        fc.constantFrom('\n', '\r\n'),
        async (rows, end) => {
          const text = ['"a","b","c"', ...rows.map(row => row.map(quotedField).join(','))].join(end);
          const table = await tableOf(text);
          assert.deepEqual(await allCells(table), rows);
          for (const [i, row] of rows.entries()) assert.deepEqual(await table.cells(i, i + 1, [0, 1, 2]), [row]);
        },
      ),
      { numRuns: 200, ...seed },
    );
  });

  it('is read from any row on, without what is before it', async () => {
    const lines = Array.from({ length: 300_000 }, (_, i) => `${i},"row\n${i}"`);
    const bytes = Buffer.from(`id,text\n${lines.join('\n')}\n`);
    let read = 0;
    const source = memorySource(bytes);
    const table = await openTable('delimited', {
      size: source.size,
      read: (start, end) => {
        read += end - start;
        return source.read(start, end);
      },
    });
    assert.equal(await complete(table, () => undefined), lines.length);
    read = 0;
    assert.deepEqual(await table.cells(299_998, 300_010, [0, 1]), [
      ['299998', 'row\n299998'],
      ['299999', 'row\n299999'],
    ]);
    assert.deepEqual(await table.cells(150_000, 150_001, [1]), [['row\n150000']]);
    assert.ok(read < 5 * 2 ** 20, `${read} bytes`);
  });
});

describe('lines of JSON', () => {
  it('have a column for each member, and values as they are written', async () => {
    const table = await tableOf(
      '{"a":12345678901234567890,"b":"x"}\n\n{"b":null,"a":1.0,"c":[1,{"d":-0}]}\n{"a":"1.0","a":2}\nnot json\n',
      'json-lines',
    );
    assert.equal(await complete(table, () => undefined), 4);
    assert.deepEqual(names(table), ['a', 'b', 'c', '(other values)']);
    assert.deepEqual(await allCells(table), [
      ['12345678901234567890', 'x', null, null],
      ['1.0', null, '[1,{"d":-0}]', null],
      ['"1.0"', null, null, '{"a":2}'],
      [null, null, null, 'not json'],
    ]);
  });

  it('show a line that is nested too deeply as it is, beside the others', async () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const table = await tableOf(`{"a":1}\n${deep}\n{"a":2}\n`, 'json-lines');
    const cells = await allCells(table);
    assert.deepEqual(names(table), ['a', '(other values)']);
    assert.deepEqual(
      cells.map(row => row.map(cell => cell?.length)),
      [
        [1, undefined],
        [undefined, deep.length],
        [1, undefined],
      ],
    );
  });
});

describe('a text of several blocks', () => {
  it('shows each row at its place, in whatever order windows of rows are read', async () => {
    const random = seededRandom();
    const rows = runCount(30_000, 60_000);
    const filler = Array.from({ length: rows }, () => 'x'.repeat(random.below(120)));
    const texts = {
      delimited: ['id,v', ...filler.map((text, i) => `${i},${text}`), ''].join('\n'),
      'json-lines': filler.map((text, i) => `${JSON.stringify({ id: i, v: text })}\n`).join(''),
    } as const;
    for (const format of ['delimited', 'json-lines'] as const) {
      const table = await tableOf(texts[format], format);
      assert.equal(await complete(table, () => undefined), rows);
      const check = async (start: number): Promise<void> => {
        const [cells, end] = [await table.cells(start, start + 64, [0]), Math.min(rows, start + 64)];
        const ids = Array.from({ length: end - start }, (_, i) => [String(start + i)]);
        assert.deepEqual(cells, ids, `${format}, rows from ${start}, seed ${random.seed}`);
      };
      for (let start = 0; start < rows; start += 64) await check(start);
      for (let i = 0; i < 200; i++) await check(random.below(rows));
      assert.equal(table.total, rows);
    }
  });
});

describe('a difference of tables', () => {
  it('distinguishes rows by the first column that names each once', async () => {
    const before = memoryTable(
      ['kind', 'id', 'old'],
      [
        ['a', '1', 'x'],
        ['a', '2', 'y'],
        ['b', '3', 'z'],
      ],
    );
    const after = memoryTable(
      ['id', 'kind', 'new'],
      [
        ['1', 'a', 'n'],
        ['3', 'B', 'm'],
        ['4', 'c', ''],
      ],
    );
    const { key, columns, counts, ...rows } = await diffOf(before, after);
    assert.deepEqual(key, ['id']);
    assert.deepEqual(
      columns.map(({ name, kind }) => `${name} ${kind}`),
      ['id same', 'kind same', 'new added', 'old removed'],
    );
    assert.deepEqual(counts, { added: 1, removed: 1, changed: 1, same: 1 });
    const none = 0xffffffff;
    assert.deepEqual(
      [[...rows.before], [...rows.after]],
      [
        [2, none, 1],
        [1, 2, none],
      ],
    );
  });

  it('compares whole rows where nothing names them, as often as they occur', async () => {
    const { key, counts } = await diffOf(memoryTable(['a'], [['x'], ['x'], ['y']]), memoryTable(['a'], [['x'], ['y'], ['y']]));
    assert.deepEqual([key, counts], [[], { added: 1, removed: 1, changed: 0, same: 2 }]);
  });

  it('matches rows by the columns that are chosen', async () => {
    const before = memoryTable(
      ['id', 'a', 'b'],
      [
        ['1', 'x', 'y'],
        ['2', 'x', 'z'],
      ],
    );
    const after = memoryTable(
      ['id', 'a', 'b'],
      [
        ['3', 'x', 'y'],
        ['4', 'x', 'z'],
      ],
    );
    assert.deepEqual((await diffOf(before, after)).counts, { added: 2, removed: 2, changed: 0, same: 0 });
    assert.deepEqual((await diffOf(before, after, ['a', 'b'])).counts, { added: 0, removed: 0, changed: 2, same: 0 });
    await assert.rejects(diffOf(before, after, ['c']), /both tables must have the column c/);
  });

  it('has no row on both sides where no column is', async () => {
    const { counts } = await diffOf(await tableOf('a,b\n1,2\n3,4\n'), await tableOf('c\n1\n2\n3\n'));
    assert.deepEqual(counts, { added: 3, removed: 2, changed: 0, same: 0 });
  });

  it('compares columns of the same name by their order', async () => {
    const table = (last: string) => memoryTable(['id', 'x', 'x'], [['1', 'a', last]]);
    const { columns, counts } = await diffOf(table('b'), table('c'));
    assert.deepEqual(
      columns.map(({ name }) => name),
      ['id', 'x', 'x (2)'],
    );
    assert.equal(counts.changed, 1);
  });

  it('distinguishes a missing value from an empty text, and values from those that stand side by side', async () => {
    const same = async (a: readonly Cell[], b: readonly Cell[]) =>
      (await diffOf(memoryTable(['x', 'y'], [a]), memoryTable(['x', 'y'], [b]))).counts.same;
    assert.equal(await same(['1', null], ['1', '']), 0);
    assert.equal(await same(['1', null], ['1', null]), 1);
    assert.equal(await same(['ab', 'c'], ['a', 'bc']), 0);
  });

  it('is that of a naive one', async () => {
    const cell = fc.constantFrom('a', 'b', '1', '2', '', null);
    const side = fc.array(fc.tuple(fc.nat(8).map(String), cell, cell), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(side, side, async (before, after) => {
        const { key, counts } = await diffOf(memoryTable(['id', 'x', 'y'], before), memoryTable(['id', 'x', 'y'], after));
        assert.deepEqual(counts, naiveDiff(before, after, key));
      }),
      { numRuns: 1000, ...seed },
    );
  });
});

/** Rows by their keys, in order; a key of no column is the whole row. */
function naiveDiff(before: readonly (readonly Cell[])[], after: readonly (readonly Cell[])[], key: readonly string[]) {
  const keyOf = (row: readonly Cell[]): string =>
    JSON.stringify(key.length === 0 ? row : key.map(name => row['id x y'.split(' ').indexOf(name)]));
  const left = [...before];
  const counts = { added: 0, removed: 0, changed: 0, same: 0 };
  for (const row of after) {
    const at = left.findIndex(old => keyOf(old) === keyOf(row));
    if (at < 0) counts.added++;
    else counts[JSON.stringify(left.splice(at, 1)[0]) === JSON.stringify(row) ? 'same' : 'changed']++;
  }
  return { ...counts, removed: left.length };
}

describe('a selection of rows', () => {
  const table = tableOf('n,text\n10,b\n9007199254740993,\n2,B\n9007199254740992,a\n-1e3,c\nx,d\n,e\n');
  const rowsOf = async (conditions: readonly Condition[], sorting?: Sorting): Promise<number[]> => [
    ...(await selectRows(await table, { conditions, ...(sorting ? { sorting } : {}) }, () => undefined)),
  ];

  it('sorts numbers by their size, also beyond those of the browser, and missing values last', async () => {
    assert.deepEqual(await rowsOf([], { column: 0, isDown: false }), [4, 2, 0, 3, 1, 5, 6]);
    assert.deepEqual(await rowsOf([], { column: 0, isDown: true }), [5, 1, 3, 0, 2, 4, 6]);
  });

  it('looks at all rows', async () => {
    assert.deepEqual(await rowsOf([{ operator: 'contains', value: 'B' }]), [0, 2]);
    assert.deepEqual(await rowsOf([{ column: 1, operator: '=', value: 'B' }]), [2]);
    assert.deepEqual(await rowsOf([{ column: 1, operator: 'contains', value: 'b' }], { column: 0, isDown: false }), [2, 0]);
    const numbers = await tableOf('n\n5\n50\n6.5\n\n7\n');
    assert.deepEqual(
      [...(await selectRows(numbers, { conditions: [{ column: 0, operator: '>', value: '6' }] }, () => undefined))],
      [1, 2, 3],
    );
  });

  it('compares a number with the numbers among texts, by size, and with nothing else', async () => {
    const mixed = 'a,b\n1,x\nn/a,x\n10,x\n5,x\n,x\n4.0,x\n';
    const filters: [Condition['operator'], string, number[]][] = [
      ['>', '4', [2, 3]],
      ['≥', '4', [2, 3, 5]],
      ['<', '5', [0, 5]],
      ['≤', '5', [0, 3, 5]],
      ['=', '4', [5]],
      ['≠', '4', [0, 1, 2, 3, 4]],
      ['=', '', [4]],
      ['≠', '', [0, 1, 2, 3, 5]],
      ['<', 'x', [0, 1, 2, 3, 5]],
      ['>', 'm', [1]],
    ];
    const texts = await tableOf(mixed);
    for (const [operator, value, rows] of filters) {
      const found = await selectRows(texts, { conditions: [{ column: 0, operator, value }] }, () => undefined);
      assert.deepEqual([...found], rows, `${operator} ${value}`);
    }
    const numbers = await tableOf('{"a":1}\n{"a":"n/a"}\n{"a":10}\n{"a":5}\n{"a":""}\n{"a":null}\n{}\n', 'json-lines');
    const found = (operator: Condition['operator']): Promise<Uint32Array> =>
      selectRows(numbers, { conditions: [{ column: 0, operator, value: '4' }] }, () => undefined);
    assert.deepEqual([...(await found('>'))], [2, 3]);
    assert.deepEqual([...(await found('≠'))], [0, 1, 2, 3, 4]);
  });

  it('is the same the first and the second time, whatever the file has after its first block', async () => {
    const numbers = '10,x\n9,x\n'.repeat(200_000);
    const late = await tableOf(`a,b\n${numbers}n/a,x\n10,x,needle\n`);
    for (const condition of [
      { column: 0, operator: '>', value: '9' },
      { column: 0, operator: '<', value: 'n' },
      { operator: 'contains', value: 'needle' },
    ] as const) {
      const fresh = await tableOf(`a,b\n${numbers}n/a,x\n10,x,needle\n`);
      const select = async (from: TableFile): Promise<Uint32Array> => selectRows(from, { conditions: [condition] }, () => undefined);
      const first = await select(fresh);
      await complete(late, () => undefined);
      assert.deepEqual(first, await select(fresh));
      assert.deepEqual(first, await select(late));
    }
    assert.deepEqual(
      [...(await selectRows(late, { conditions: [{ operator: 'contains', value: 'needle' }] }, () => undefined))],
      [400_001],
    );
  });

  it('reads rows by their numbers in any order', async () => {
    assert.deepEqual(await cellsAt(await table, [5, 0, 99], [0]), [['x'], ['10'], []]);
  });
});

describe('the order of texts', () => {
  it('is that of their numbers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (a, b) => {
        assert.equal(compareOrders(textOrder(String(a)), textOrder(String(b))), a < b ? -1 : a > b ? 1 : 0);
      }),
      seed,
    );
  });
});

describe('a summary of a column', () => {
  it('counts nulls, values, frequent ones, and bars that cover all of them', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), { freq: 4 }), { maxLength: 60 }), values => {
        const order = (value: unknown) => (typeof value === 'number' ? value : null);
        const counter = new ColumnCounter({
          name: 'x',
          isNumeric: true,
          text: value => (value === null ? null : String(value)),
          order,
          label: String,
        });
        for (const value of values) counter.add([value], 1);
        const filled = values.filter(value => value !== null);
        const { rows, nulls, distinct, isExact, least, greatest, bars } = counter.summary;
        assert.deepEqual(
          [rows, nulls, distinct, isExact],
          [values.length, values.length - filled.length, new Set(filled.map(v => v + 0)).size, true],
        );
        if (filled.length > 0) assert.deepEqual([Number(least), Number(greatest)], [Math.min(...filled) + 0, Math.max(...filled) + 0]);
        if (!bars) return;
        assert.equal(
          bars.counts.reduce((sum, count) => sum + count, 0),
          filled.length,
        );
        assert.ok(bars.counts.length <= 48);
        for (const [i, count] of bars.counts.entries()) {
          const begin: number = bars.from + i * bars.width;
          const end: number = begin + bars.width;
          assert.equal(filled.filter(value => value >= begin && value < end).length, count);
        }
      }),
      seed,
    );
  });

  it('estimates how many values differ where there are too many to keep', () => {
    const number = (value: unknown) => (typeof value === 'number' ? value : null);
    const text = (value: unknown) => (typeof value === 'string' ? value : null);
    for (const [order, make] of [
      [number, (i: number) => i * 0.37],
      [text, (i: number) => `row ${i}`],
    ] as const) {
      const counter = new ColumnCounter({ name: 'x', isNumeric: false, text: String, order });
      counter.add(
        Array.from({ length: 300_000 }, (_, i) => make(i % 100_000)),
        300_000,
      );
      const { distinct, isExact, top } = counter.summary;
      assert.equal(isExact, false);
      assert.ok(Math.abs(distinct - 100_000) < 5_000, String(distinct));
      assert.deepEqual(top, []);
    }
  });
});
