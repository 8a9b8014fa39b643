import assert from 'node:assert/strict';
import { test } from 'node:test';
import section from '../src/config.js';

test('a post begins a second after the last one at least', () => {
  const { decode } = section.keys['stats.flush_interval'];
  assert.equal(decode('1s'), 1000);
  for (const text of ['0', '0s', '999ms']) assert.throws(() => decode(text), { message: 'a duration of at least 1s' }, text);
});
