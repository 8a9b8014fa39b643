import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHttpAddress, withoutPassword } from '../src/index.js';

test('an address is one of HTTP, without user and password', () => {
  for (const text of ['http://127.0.0.1:1/x', 'https://example.com/a?b=c@d', 'HTTPS://example.com']) assert.ok(isHttpAddress(text), text);
  for (const text of ['', 'none', 'ftp://x', 'file:///etc', 'https://u:p@example.com', 'https://u@example.com', 'https://:p@example.com'])
    assert.ok(!isHttpAddress(text), text);
});

test('an address is shown without user and password, whatever characters they have', () => {
  for (const [text, shown] of [
    ['ftp://x', 'ftp://x'],
    ['', ''],
    ['https://u:hush@example.com/a', 'https://******@example.com/a'],
    ['htps://u:hu/sh@1?hush#@example.com', 'htps://******@example.com'],
    ['u:hush@example.com', '******@example.com'],
    ['https:/u:hush@example.com', '******@example.com'],
  ] as const)
    assert.equal(withoutPassword(text), shown);
});
