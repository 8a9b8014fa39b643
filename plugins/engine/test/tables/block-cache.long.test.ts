/** A process opens tables for months: blocks that are kept are never those of another table. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TableReader, encodeValue, memoryFile } from '../../src/tables/format/index.js';
import { writeAll } from './table-writing.js';
import type { BlockCache, KeptBlock } from '../../src/tables/format/index.js';

/** Powers of two: numbers that come again, do so after one of them. */
const powers = [8, 10, 16, 20, 21];

it('a table opened after millions of others shows its own records', () => {
  const blocks = new Map<number, KeptBlock>();
  const cache: BlockCache = { get: key => blocks.get(key), set: (key, block) => void blocks.set(key, block) };
  const key = Buffer.from('key');
  const open = (text: string): TableReader => {
    const record = encodeValue({ identity: Buffer.from('identity'), data: Buffer.from(text) });
    return new TableReader(memoryFile(text, writeAll([[key, record]], { type: 'ranges' }).bytes), cache);
  };
  const show = (reader: TableReader): string | undefined =>
    reader
      .get(key)
      ?.toString('latin1')
      .match(/table \d*/)?.[0];
  const openNothing = (): void => void new TableReader(memoryFile('empty', Buffer.alloc(0)), cache);
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    assert.equal(show(open('table 0')), 'table 0');
    let opened = 1;
    for (const power of powers) {
      for (; opened < 2 ** power; opened++) assert.throws(openNothing);
      assert.equal(show(open(`table ${power}`)), `table ${power}`);
      opened++;
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
});
