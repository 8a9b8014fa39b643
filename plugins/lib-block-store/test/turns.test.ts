import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as later } from 'node:timers/promises';
import { Turns } from '../src/turns.js';

test('work on one path takes place one after the other, in its order; on another it does not wait', async () => {
  const turns = new Turns();
  const steps: string[] = [];
  const work = (path: string, name: string, fails = false): Promise<void> =>
    turns.run(path, async () => {
      steps.push(`${name} begins`);
      await later();
      steps.push(`${name} ends`);
      if (fails) throw new Error(name);
    });
  const results = await Promise.allSettled([work('x', 'first'), work('x', 'second', true), work('x', 'third'), work('y', 'other')]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  const ofX = steps.filter(step => !step.startsWith('other'));
  assert.deepEqual(ofX, ['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends']);
  assert.ok(steps.indexOf('other begins') < steps.indexOf('first ends'));
});

test('a path that is free can be taken, and is free again when all have left', async () => {
  const turns = new Turns();
  assert.equal(turns.tryTake('x'), true);
  assert.equal(turns.tryTake('x'), false);
  let taken = false;
  const waiting = turns.take('x').then(() => {
    taken = true;
  });
  await later();
  assert.equal(taken, false);
  turns.leave('x');
  await waiting;
  assert.equal(turns.tryTake('x'), false);
  turns.leave('x');
  assert.equal(turns.tryTake('x'), true);
});
