/** What the engine finds of the columns of a file, compared with what a reader of all its rows finds. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { seededRandom } from '@srv/kernel/testing';
import { memorySource } from '@srv/lib-records/tables/byte-source';
import { canSummarize, delimitedObject, summarizeDelimited } from '@srv/lib-records/tables/column-statistics';
import { openTable } from '@srv/lib-records/tables/open-table';
import { summarize } from '@srv/lib-records/tables/summarize';
import { openServer, repository } from './support.js';
import type { ColumnSummary } from '@srv/lib-records/tables/column-summary';

/** Values of a column, by number of the row. */
const columns: readonly ((row: number, below: (limit: number) => number) => string)[] = [
  row => String(row),
  (_, below) => ['a', 'b"c', 'x;y', '', 'ü\n1', ' 1'][below(6)] ?? '',
  (_, below) => String(below(2_000_000) / 100 - 5000),
  (_, below) => ['1', '1.0', '+1', '.5', '5.', '1e3', '-2', 'inf', 'NULL', '007'][below(10)] ?? '',
  row => `${2n ** 70n - BigInt(row)}`,
  (_, below) => `text ${below(5000)}`,
  row => (row % 100 === 7 ? '' : String(row % 3)),
  () => '',
  (_, below) => ['-0', '0', '+0.0', '\u0001', '0000000000000000000', '-0000000000000000'][below(6)] ?? '',
  (_, below) =>
    ['+12345678901234567', '12345678901234567', '012345678901234567', '1234567890123456.0', '1234567890123456.00'][below(5)] ?? '',
];

const quoted = (value: string, delimiter: string): string =>
  /["\n]/.test(value) || value.includes(delimiter) ? `"${value.replaceAll('"', '""')}"` : value;

it('the columns of a CSV or TSV object are like those that a reader of all rows finds', async t => {
  const { run, put } = await openServer(t);
  const random = seededRandom();
  const below = (limit: number): number => random.below(limit);
  for (const [path, delimiter, rows] of [
    ["odd 'name'.csv", ';', 6000],
    ['tabs.tsv', '\t', 400],
    ['empty.csv', ',', 0],
  ] as const) {
    const lines = Array.from({ length: rows }, (_, row) => columns.map(valueAt => quoted(valueAt(row, below), delimiter)).join(delimiter));
    // The last row has fewer fields.
    const body = [columns.map((_, i) => `column ${i}`).join(delimiter), ...lines, ...(rows > 0 ? [`9${delimiter}z`] : [])].join('\n');
    await put('main', path, body);
    const table = await openTable('delimited', memorySource(Buffer.from(body)));
    const expected: ColumnSummary[] = [];
    await summarize(table, [...table.columns.keys()], (_, done) => {
      if (done) expected[done.column] = done.summary;
    });
    const object = delimitedObject({ repository, ref: 'main', path }, table.columns.length, Buffer.from(body)) ?? assert.fail();
    assert.equal(object.delimiter, delimiter);
    assert.ok(canSummarize(object));
    const found = await summarizeDelimited(
      object,
      async sql => JSON.parse(await text(await run(sql, 'text'))) as Record<string, string | null>,
    );
    for (const [i, summary] of expected.entries()) {
      const { top, distinct, isExact, bars, ...rest } = summary;
      const { top: foundTop, distinct: foundDistinct, isExact: isFoundExact, bars: foundBars, ...foundRest } = found[i] ?? assert.fail();
      assert.deepEqual(foundRest, rest, `${path} ${i}`);
      assert.deepEqual(foundBars, bars, `bars of ${path} ${i}`);
      // Fewer values than are counted one by one.
      assert.deepEqual([foundDistinct, isFoundExact, isExact], [distinct, true, true], `${path} ${i}`);
      const counts = (values: ColumnSummary['top']): number[] => values.map(({ count }) => count);
      if (distinct <= 2000) assert.deepEqual(counts(foundTop), counts(top), `${path} ${i}`);
    }
  }
});

it('a file that the engine reads otherwise is refused, or not asked about', async t => {
  const { run, put } = await openServer(t);
  assert.ok(
    !canSummarize({ path: 'a*.csv', columns: 2 }) &&
      !canSummarize({ path: 'a.csv', columns: 1 }) &&
      !canSummarize({ path: 'a.csv', columns: 1000 }),
  );
  const at = { repository, ref: 'main', path: 'a.csv' };
  for (const [head, isAlike] of [
    ['a,b\n1,2\n', true],
    ['a,b\n1,"2 "" "\n', true],
    ['\n\na,b\n1,2\n', false],
    ['\r\na,b\r\n1,2\r\n', false],
    ['a,b\n1, "2"\n', false],
    ['a,b\n "1",2\n', false],
  ] as const)
    assert.equal(delimitedObject(at, 2, Buffer.from(head)) !== undefined, isAlike, head);
  assert.equal(delimitedObject(at, 2, Buffer.from('gr\u00f6\u00dfe,b\n', 'latin1')), undefined);
  await put('main', 'wide.csv', 'a,b\n1,2\n1,2,3\n');
  const object = { repository, ref: 'main', path: 'wide.csv', delimiter: ',', columns: 2 };
  await assert.rejects(
    summarizeDelimited(object, async sql => JSON.parse(await text(await run(sql, 'text'))) as Record<string, string | null>),
  );
});
