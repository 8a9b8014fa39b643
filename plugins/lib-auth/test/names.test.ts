import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkLength, checkNewName } from '../src/index.js';

it('a new name is one that paths, keys and clients can hold', () => {
  for (const name of ['ann', 'ann@example.com', 'ann #1?', '...', '.a', 'ü'.repeat(256), '😀']) checkNewName('User', name);
  for (const [name, message] of [
    ['100%', "Group name cannot contain '%'"],
    ['.', 'Group name ".": choose one that is not . or ..'],
    ['..', 'Group name "..": choose one that is not . or ..'],
    ['a\u0001\n', 'Group name "a\\u0001\\n" cannot contain control characters'],
    ['a\ud83d', 'Group name "a\\ud83d" holds half of a character'],
    ['a'.repeat(200_000), `Group name "${'a'.repeat(50)}"… has 200000 bytes, allowed: 512`],
  ] as const)
    assert.throws(() => checkNewName('Group', name), { code: 'invalid', message });
});

it('a text of a key has a length', () => {
  checkLength('external ID', 'x'.repeat(512));
  assert.throws(() => checkLength('external ID', 'x'.repeat(513)), { code: 'invalid', message: /^external ID "x{50}"… has 513 bytes/ });
});
