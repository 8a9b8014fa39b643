/** Rows of Parquet files, as checkpoints of Delta tables have them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import parquet from '../src/outside/parquet.js';
import { Input } from '../src/outside/protocol.js';

/** Columns `nothing`, which is null in both rows, and `x`; compressed by LZ4, written by PyArrow. */
const nulls = [
  'UEFSMRUEFQAVAkwVABUAEgAAABUAFQ4VECwVBBUQFQYVBhwAAABwAgAAAAQAABUEFRAVEkwVBBUAEgAAgAEAAAACAAAAFQAVEhUU',
  'LBUEFRAVBhUGHAAAAJACAAAABAEBAwIVBBk8NQAYBnNjaGVtYRUEABUMJQIYB25vdGhpbmclAEwcAAAAFQIlAhgBeAAWBBkcGSwm',
  'ABwVDBk1AAYQGRgHbm90aGluZxUOFgQWUBZUJiYmCCksFQQVABUCABUAFRAVAgA8FgAZBhkmBAAAAAAmABwVAhk1AAYQGRgBeBUO',
  'FgQWZBZoJooBJlwpLBUEFQAVAgAVABUQFQIAPCkGGSYABAAAABa0ARYEJggWvAEAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9u',
  'IDI2LjAuMRksHAAAHAAAANoAAABQQVIx',
].join('');

it('a column that is null in all rows is read', async () => {
  assert.deepEqual(await parquet['rowsAsJson']?.(new Input({ data: Buffer.from(nulls, 'base64') }), { maxBody: 1000 }), [
    '{"x":1}',
    '{"x":2}',
  ]);
});
