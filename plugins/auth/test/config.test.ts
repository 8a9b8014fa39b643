import assert from 'node:assert/strict';
import { test } from 'node:test';
import section from '../src/config.js';

test('a login token is valid for a second at least: with less, every login would give an expired one', () => {
  for (const name of ['auth.login_duration', 'auth.login_max_duration'] as const) {
    const { decode } = section.keys[name];
    assert.equal(decode('1s'), 1000);
    for (const text of ['0s', '0', '999ms']) assert.throws(() => decode(text), { message: 'a duration of at least 1s' }, text);
  }
});
