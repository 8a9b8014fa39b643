import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from '../src/pace.js';

test('long work rests now and then, so that others get their turn', async () => {
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  const pace = new Pace();
  for (let step = 0; step < 100; step++) {
    await pace.rest();
    // A busy processor: a millisecond goes by.
    for (const end = performance.now() + 1; performance.now() < end; );
  }
  clearImmediate(next);
  assert.ok(turns >= 5, `${turns} turns`);
});
