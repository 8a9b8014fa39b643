/** `x-amz-copy-source-range`. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseCopyRange } from '../src/server/protocol/range.js';

it('a range of a copy names its first and its last byte, in this order', () => {
  assert.deepEqual(parseCopyRange('bytes=0-0'), { start: 0, end: 0 });
  assert.deepEqual(parseCopyRange(' bytes=9-10 '), { start: 9, end: 10 });
  for (const header of ['bytes=5-2', 'bytes=10-9', 'bytes=99999999999999999999-9', 'bytes=5-', 'bytes=-5', 'bytes=1-2,4-5', '1-2', ''])
    assert.equal(parseCopyRange(header), undefined, header);
});
