import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inSlices } from '../../src/operations/objects/in-slices.js';

test('results keep their order, and others get a turn between slices', async () => {
  let [turns, running, most] = [0, 0, 0];
  let ended = false;
  const count = (): void => {
    turns++;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  const items = Array.from({ length: 1000 }, (_, i) => i);
  const results = await inSlices(items, async item => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    return item * 2;
  });
  ended = true;
  assert.deepEqual(
    results,
    items.map(item => item * 2),
  );
  assert.ok(most <= 16, `${most} at a time`);
  assert.ok(turns >= 60, `${turns} turns`);
  assert.deepEqual(await inSlices([], () => Promise.reject(new Error('never called'))), []);
});

test('a failure ends the work', async () => {
  let worked = 0;
  await assert.rejects(
    inSlices(Array.from({ length: 100 }), async () => {
      worked++;
      throw new Error('no signature');
    }),
    /no signature/,
  );
  assert.equal(worked, 16);
});
