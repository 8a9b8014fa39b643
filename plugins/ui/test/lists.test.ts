/** Lists of the page: which rows are ticked, requests of rows that come into sight, and when views are drawn again. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fewAtATime } from '../src/model/few-at-a-time.js';
import { inOrder } from '../src/model/in-order.js';
import { redrawsAfter } from '../src/model/redraw.js';
import { tickedIn } from '../src/model/ticked-rows.js';

it('rows that are ticked in one list are not ticked in another', () => {
  const ticked = { name: 'main/a/', items: new Map([['x', 1]]) };
  assert.deepEqual([...tickedIn('main/a/', ticked).keys()], ['x']);
  assert.deepEqual([...tickedIn('main/b/', ticked)], []);
});

it('four requests of rows run at a time, the others in order, and one that is not needed any more never starts', async () => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const gone = new AbortController();
  const asked = Array.from({ length: 7 }, (_, i) =>
    fewAtATime(
      () => {
        begun.push(i);
        return new Promise<number>(resolve => ends.push(() => resolve(i)));
      },
      i === 5 ? gone.signal : new AbortController().signal,
    ),
  );
  const settled = Promise.allSettled(asked);
  assert.deepEqual(begun, [0, 1, 2, 3]);
  gone.abort();
  ends[0]?.();
  await asked[0];
  ends[1]?.();
  await asked[1];
  await assert.rejects(asked[5] ?? Promise.resolve(), { name: 'AbortError' });
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 6]);
  for (const end of ends) end();
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal(await fewAtATime(async () => 'free again', new AbortController().signal), 'free again');
});

it('views are drawn again after a command that changed something, unless a dialog is open or none is shown', () => {
  const place = { pathname: '/repositories/lakes/objects', hasTypedText: false };
  assert.equal(redrawsAfter(true, place), true);
  assert.equal(redrawsAfter(false, place), false);
  assert.equal(redrawsAfter(true, { ...place, hasTypedText: true }), false);
  assert.equal(redrawsAfter(true, { ...place, pathname: '/repositories/lakes/shell' }), false);
});

it('work on several things that fails continues with those that are left', async () => {
  const tried: string[] = [];
  let left: readonly string[] = ['a', 'b', 'c'];
  const attempt = () =>
    inOrder(
      left,
      async item => {
        tried.push(item);
        if (tried.length === 2) throw new Error('not now');
      },
      rest => {
        left = rest;
      },
    );
  await assert.rejects(attempt(), /^Error: not now$/);
  assert.deepEqual(left, ['b', 'c']);
  await attempt();
  assert.deepEqual(left, []);
  assert.deepEqual(tried, ['a', 'b', 'b', 'c']);
});
