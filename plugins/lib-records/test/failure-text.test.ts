import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError, silentLogger } from '@srv/kernel';
import { failureText } from '../src/index.js';

test('a task reports rejections in their own words, and internal failures by a reference to the log', () => {
  const logged: unknown[] = [];
  const log = { ...silentLogger, error: (facts: unknown) => logged.push(facts) };
  assert.equal(failureText(new SrvError('conflict', 'both sides changed a'), 'DR1', log), 'both sides changed a');
  assert.deepEqual(logged, []);
  for (const fault of [new Error('/secret/place'), new SrvError('corrupt', '/secret/place'), new SrvError('internal', '/secret/place')]) {
    assert.equal(failureText(fault, 'DR1', log), "internal error; the server's log has details under DR1");
  }
  assert.deepEqual(
    logged,
    Array.from({ length: 3 }, () => ({ id: 'DR1', error: '/secret/place' })),
  );
});
