import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workThrough } from '../src/index.js';

test('items after one that failed are worked on, and the first failure is thrown at the end', async () => {
  const done: number[] = [];
  const working = workThrough([1, 2, 3, 4], async item => {
    if (item % 2 === 0) throw new Error(`${item} failed`);
    done.push(item);
  });
  await assert.rejects(working, /^Error: 2 failed$/);
  assert.deepEqual(done, [1, 3]);
});
