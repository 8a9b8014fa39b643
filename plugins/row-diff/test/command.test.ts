/** The command: what it prints of values. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { fakeContext } from '@srv/lib-commands/testing';
import { diffRows } from '../src/cli/diff-rows.js';
import type { RowDiffLine } from '../src/contract.js';

/** What is printed of each line of a result. */
async function printedOf(lines: readonly object[]): Promise<readonly (string | undefined)[]> {
  const body = Readable.from([Buffer.from(lines.map(line => `${JSON.stringify(line)}\n`).join(''))]);
  const { context } = fakeContext({ diffRows: () => ({ status: 200, headers: {}, body }) });
  const input = { args: ['srv://lakes/main/c.csv', 'srv://lakes/dev/c.csv'], options: {} };
  const printed: (string | undefined)[] = [];
  for await (const line of (await diffRows.run(context, input)) as AsyncIterable<RowDiffLine>)
    printed.push(diffRows.render?.(line, context, input));
  return printed;
}

it('each difference is a line, without characters that a terminal obeys', async () => {
  const lines = [
    {
      type: 'schema',
      key: ['i\nd'],
      columns: [
        { name: 'i\nd', change: 'same' },
        { name: 'x\u001b[2J', change: 'added' },
      ],
    },
    { type: 'added', row: { 'i\nd': 'a\r\nb', n: null } },
    { type: 'changed', key: { 'i\nd': '1' }, cells: { n: ['\u009b31m', 'ü'] } },
    { type: 'summary', added: 1, removed: 0, changed: 1, same: 0, changed_cells: { 'x\u0007': 1 }, truncated: false },
  ];
  assert.deepEqual(await printedOf(lines), [
    'Key: i\\nd\n+ column x\\u001b[2J',
    '+ i\\nd=a\\r\\nb n=null',
    '~ i\\nd=1  n: \\u009b31m -> ü',
    '1 added, 0 removed, 1 changed, 0 the same\nChanged cells: x\\u0007 1',
  ]);
});

it('tables without a column in common are said to have none', async () => {
  const columns = [
    { name: 'b', change: 'added' },
    { name: 'a', change: 'removed' },
  ];
  assert.deepEqual(await printedOf([{ type: 'schema', key: [], columns }]), [
    'The tables have no column in common: all rows differ\n+ column b\n- column a',
  ]);
});
