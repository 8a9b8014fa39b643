/** When old uploads are looked after. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { UploadSweeper } from '../src/server/uploads/sweeper.js';

const hour = 3_600_000;

test('about once an hour, never two at a time, and no more after the stop', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let begun = 0;
  let finish = (): void => undefined;
  const sweeper = new UploadSweeper(() => {
    begun++;
    return new Promise(resolve => {
      finish = resolve;
    });
  });
  sweeper.start();
  t.mock.timers.tick(0.75 * hour - 1);
  assert.equal(begun, 0);
  t.mock.timers.tick(0.5 * hour + 2);
  assert.equal(begun, 1);
  t.mock.timers.tick(3 * hour);
  assert.equal(begun, 1, 'the first is still under way');
  finish();
  await setImmediate();
  t.mock.timers.tick(1.25 * hour + 1);
  assert.equal(begun, 2);
  finish();
  await setImmediate();
  await sweeper.stop();
  t.mock.timers.tick(5 * hour);
  assert.equal(begun, 2);
});

test('stopping ends a sweep and waits for it', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const seen: string[] = [];
  const sweeper = new UploadSweeper(async signal => {
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
    await setImmediate();
    seen.push('ended');
  });
  sweeper.start();
  t.mock.timers.tick(2 * hour);
  await sweeper.stop();
  assert.deepEqual(seen, ['ended']);
  t.mock.timers.tick(5 * hour);
  sweeper.start();
  t.mock.timers.tick(5 * hour);
  assert.deepEqual(seen, ['ended']);
});

test('two who start together do not sweep together', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const random = t.mock.method(Math, 'random', () => 0);
  const seen: string[] = [];
  const one = new UploadSweeper(async () => void seen.push('one'));
  one.start();
  random.mock.mockImplementation(() => 0.999);
  const two = new UploadSweeper(async () => void seen.push('two'));
  two.start();
  t.mock.timers.tick(hour);
  assert.deepEqual(seen, ['one']);
  t.mock.timers.tick(hour / 2);
  assert.deepEqual(seen, ['one', 'two']);
});
