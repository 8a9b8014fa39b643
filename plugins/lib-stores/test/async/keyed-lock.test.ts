import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as later } from 'node:timers/promises';
import { KeyedLock } from '../../src/async/keyed-lock.js';

test('work on one path takes place one after the other, in its order; on another it does not wait', async () => {
  const locks = new KeyedLock();
  const steps: string[] = [];
  const work = (path: string, name: string, fails = false): Promise<void> =>
    locks.run(path, async () => {
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
  const locks = new KeyedLock();
  assert.equal(locks.tryAcquire('x'), true);
  assert.equal(locks.tryAcquire('x'), false);
  let taken = false;
  const waiting = locks.acquire('x').then(() => {
    taken = true;
  });
  await later();
  assert.equal(taken, false);
  locks.release('x');
  await waiting;
  assert.equal(locks.tryAcquire('x'), false);
  locks.release('x');
  assert.equal(locks.tryAcquire('x'), true);
});
