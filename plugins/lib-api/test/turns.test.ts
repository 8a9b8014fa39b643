/** A bounded number of works at a time. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Turns } from '../src/turns.js';

it('turns are bounded, in order, and left by callers who go', async () => {
  const turns = new Turns(1);
  const first = await turns.acquire();
  const order: string[] = [];
  const leaving = new AbortController();
  const second = turns.acquire(leaving.signal);
  const third = turns.acquire().then(release => {
    order.push('third');
    return release;
  });
  leaving.abort();
  await assert.rejects(second, /cancelled/);
  assert.deepEqual(order, []);
  first();
  first();
  (await third)();
  (await turns.acquire())();
});
