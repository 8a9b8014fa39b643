import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOffMs } from '../../src/block/index.js';

test('the limit of a pause doubles with each retry, up to the longest one', t => {
  t.mock.method(Math, 'random', () => 0.5);
  const pauses = [1, 2, 3, 4, 40].map(retry => backOffMs(retry, { firstMs: 100, longestMs: 500 }));
  assert.deepEqual(pauses, [50, 100, 200, 250, 250]);
});
