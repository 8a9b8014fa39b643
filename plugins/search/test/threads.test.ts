import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RangeThreads } from '../src/index/threads.js';

it('a range that comes just when an idle thread ends is read by another one', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const threads = new RangeThreads(1);
  // Large enough for a thread, which says that it is not a range.
  const noRange = Buffer.alloc(70_000, 1);
  const read = () => assert.rejects(threads.columns(noRange, 'r', 1), { code: 'corrupt' });
  await read();
  t.mock.timers.tick(10_000);
  await read();
  await threads.close();
});
