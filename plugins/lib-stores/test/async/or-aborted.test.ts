import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { orAborted } from '../../src/block/index.js';

test('a wait ends with the answer, or with cancelled as soon as the signal is aborted', async () => {
  const { signal } = new AbortController();
  assert.equal(await orAborted(Promise.resolve(1), signal), 1);
  await assert.rejects(() => orAborted(Promise.reject(new Error('the answer')), signal), /the answer/);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
  const controller = new AbortController();
  const waiting = orAborted(new Promise(() => undefined), controller.signal);
  controller.abort();
  await rejectsWith(() => waiting, 'cancelled');
});

test('a failure after the caller has left does not end the process', async () => {
  await rejectsWith(() => orAborted(Promise.reject(new Error('too late')), AbortSignal.abort()), 'cancelled');
});
