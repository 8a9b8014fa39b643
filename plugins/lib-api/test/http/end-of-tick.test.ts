import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atEndOfTick } from '../../src/http/index.js';

const nextTurn = (): Promise<void> =>
  new Promise(resolve => {
    setImmediate(resolve);
  });

test('work of one turn runs together, in order, after what the turn still has to do', async () => {
  const order: string[] = [];
  atEndOfTick(() => order.push('first'));
  atEndOfTick(() => order.push('second'));
  queueMicrotask(() => {
    order.push('microtask');
    atEndOfTick(() => order.push('third'));
  });
  order.push('now');
  await nextTurn();
  assert.deepEqual(order, ['now', 'microtask', 'first', 'second', 'third']);
});

test('work that asks for more work gets the next turn', async () => {
  const order: string[] = [];
  atEndOfTick(() => {
    order.push('one');
    atEndOfTick(() => order.push('two'));
  });
  await nextTurn();
  assert.deepEqual(order, ['one']);
  await nextTurn();
  assert.deepEqual(order, ['one', 'two']);
});
