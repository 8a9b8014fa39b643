import assert from 'node:assert/strict';
import { test } from 'node:test';
import section from '../src/config.js';

test('checks begin a second after the last one at least', () => {
  for (const name of ['security.audit_check_interval', 'security.check_latest_version_cache'] as const) {
    const { decode } = section.keys[name];
    assert.equal(decode('1s'), 1000);
    for (const text of ['0', '0s', '999ms']) assert.throws(() => decode(text), { message: 'a duration of at least 1s' }, text);
  }
});
