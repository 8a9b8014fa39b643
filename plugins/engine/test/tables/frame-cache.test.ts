import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameCache } from '../../src/tables/cache/frame-cache.js';
import { TableReader, encodeValue, memoryFile } from '../../src/tables/format/index.js';
import { writeAll } from './table-writing.js';
import type { UnreadBlock } from '../../src/tables/format/index.js';

const rules = { minSize: 0, maxSize: 20 << 20, raggedness: 50_000 };

/** The only block of a table. */
function block(name: string): UnreadBlock {
  const reader = new TableReader(
    memoryFile(
      name,
      writeAll([[Buffer.from(name), encodeValue({ identity: Buffer.alloc(1000, name), data: Buffer.from(name) })]], {}).bytes,
    ),
  );
  const index = reader.indexCursor();
  index.first();
  return { reader, handle: index.handle, reach: Buffer.from(name) };
}

test('beyond bytes: the block least in use is prepared again', () => {
  const frames = new FrameCache(4000, rules);
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(name => block(name)) as [UnreadBlock, UnreadBlock, UnreadBlock, UnreadBlock];
  const first = frames.get(a);
  assert.equal(frames.get(a), first);
  for (const other of [b, c, d]) frames.get(other);
  const anew = frames.get(a);
  assert.notEqual(anew, first);
  assert.deepEqual(anew, first);
});
