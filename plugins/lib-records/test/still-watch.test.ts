import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillWatch } from '../src/index.js';

test('a sign is still for as long as it has been the same since it was first seen', () => {
  let now = 1000;
  const watch = new StillWatch(() => now);
  assert.equal(watch.stillFor('a', '1'), 0);
  now += 10;
  assert.equal(watch.stillFor('a', '1'), 10);
  assert.equal(watch.stillFor('b', '1'), 0);
  assert.equal(watch.stillFor('a', '2'), 0);
  now += 10;
  assert.deepEqual([watch.stillFor('a', '2'), watch.stillFor('b', '1')], [10, 10]);
  watch.forget('a');
  assert.equal(watch.stillFor('a', '2'), 0);
});

test('beyond mostWatched: the one that has not changed for longest counts as seen for the first time', () => {
  let now = 0;
  const watch = new StillWatch(() => now);
  watch.stillFor('first', '1');
  watch.stillFor('second', '1');
  for (let n = 0; n < 9_999; n++) watch.stillFor(`n${n}`, '1');
  now = 5;
  assert.equal(watch.stillFor('second', '1'), 5);
  assert.equal(watch.stillFor('first', '1'), 0);
});
