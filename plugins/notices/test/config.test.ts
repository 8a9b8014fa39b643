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

test('addresses are those of HTTP, without user and password', () => {
  const problems = (address: string): readonly string[] =>
    section.check?.({ 'security.audit_check_url': address, 'security.latest_version_url': '' } as never) ?? [];
  for (const address of ['', 'http://127.0.0.1:1/x', 'https://example.com/a?b=c']) assert.deepEqual(problems(address), [], address);
  for (const address of ['file:///etc/passwd', 'https://u:p@example.com', 'https://u@example.com', 'https://:p@example.com', 'none'])
    assert.match(problems(address).join(), /^security\.audit_check_url: the value is not an address/, address);
});
