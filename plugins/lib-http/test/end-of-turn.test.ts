import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atEndOfTurn } from '../src/index.js';

const nextTurn = (): Promise<void> =>
  new Promise(resolve => {
    setImmediate(resolve);
  });

test('work of one turn runs together, in order, after what the turn still has to do', async () => {
  const order: string[] = [];
  atEndOfTurn(() => order.push('first'));
  atEndOfTurn(() => order.push('second'));
  queueMicrotask(() => {
    order.push('microtask');
    atEndOfTurn(() => order.push('third'));
  });
  order.push('now');
  await nextTurn();
  assert.deepEqual(order, ['now', 'microtask', 'first', 'second', 'third']);
});

test('work that asks for more work gets the next turn', async () => {
  const order: string[] = [];
  atEndOfTurn(() => {
    order.push('one');
    atEndOfTurn(() => order.push('two'));
  });
  await nextTurn();
  assert.deepEqual(order, ['one']);
  await nextTurn();
  assert.deepEqual(order, ['one', 'two']);
});
