import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError, silentLogger } from '@srv/kernel';
import { failureText } from '../src/index.js';

test('a task reports rejections in their own words, and internal failures by a reference to the log', () => {
  const logged: unknown[] = [];
  const log = { ...silentLogger, error: (facts: unknown) => logged.push(facts) };
  assert.equal(failureText(new SrvError('conflict', 'both sides changed a'), 'DR1', log), 'both sides changed a');
  assert.deepEqual(logged, []);
  for (const fault of [new Error('/secret/place'), new SrvError('internal', '/secret/place')]) {
    assert.equal(failureText(fault, 'DR1', log), "internal error; the server's log has details under DR1");
  }
  const corrupt = new SrvError('corrupt', '/secret/place');
  assert.equal(failureText(corrupt, 'DR1', log), "stored data cannot be read; the server's log has details under DR1");
  assert.deepEqual(
    logged,
    Array.from({ length: 3 }, () => ({ id: 'DR1', error: '/secret/place' })),
  );
});

test('a rejection because of a damaged file is reported in its own words, and logged', () => {
  const logged: unknown[] = [];
  const log = { ...silentLogger, error: (facts: unknown) => logged.push(facts) };
  const cause = new SrvError('corrupt', '/secret/place');
  assert.equal(failureText(new SrvError('invalid', 'the tags are damaged', { cause }), 'RR1', log), 'the tags are damaged');
  assert.deepEqual(logged, [{ id: 'RR1', error: '/secret/place' }]);
});
