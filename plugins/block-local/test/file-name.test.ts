import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapedPath, isPlain, unescapedName } from '../src/server/files/file-name.js';

test('names of the product are plain', () => {
  const id = 'c4r8g1ld0v8s73b0kqig';
  for (const name of [
    `repo/data/${id}/${id}`,
    `bucket/path/_srv/${'0f'.repeat(32)}`,
    'repo/_srv/dummy',
    'repo/special%3Atest_file',
    'repo/.hidden',
    `repo/${'s'.repeat(255)}`,
  ]) {
    assert.equal(isPlain(name), true, name);
  }
});

test('names that a file system cannot store are not plain', () => {
  for (const name of [
    'repo/',
    'repo//x',
    '/repo',
    'repo/./x',
    'repo/a/../b',
    'repo/x\0y',
    `repo/${'s'.repeat(256)}`,
    `repo/${'é'.repeat(128)}`,
    '.srv-tmp/x',
    'repo/.srv-keys/=61',
  ]) {
    assert.equal(isPlain(name), false, name);
  }
});

test('an escaped path is hex in folders of 200 digits, the rest after =', () => {
  assert.equal(escapedPath('repo/a/'), '.srv-keys/=7265706f2f612f');
  const path = escapedPath('x'.repeat(250)).split('/');
  assert.deepEqual(
    path.map(s => s.length),
    [9, 200, 200, 101],
  );
  assert.deepEqual(
    escapedPath('x'.repeat(100))
      .split('/')
      .map(s => s.length),
    [9, 201],
  );
});

test('every name comes back from its escaped path, and no two share one', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 500 }),
    fc.array(fc.constantFrom('a', '/', '.', '=', 'é', '😀'), { minLength: 1, maxLength: 600 }).map(parts => parts.join('')),
  );
  fc.assert(
    fc.property(name, name, (one, two) => {
      assert.equal(unescapedName(escapedPath(one).split('/').slice(1)), one);
      assert.ok(
        escapedPath(one)
          .split('/')
          .every(segment => segment.length <= 255),
      );
      assert.equal(escapedPath(one) === escapedPath(two), one === two);
    }),
  );
});

test('rejects the names of other files below the folder', () => {
  for (const segments of [[], ['61'], ['=6'], ['=zz'], ['61', '=61'], ['=6A'], ['=ff'], ['README']])
    assert.equal(unescapedName(segments), undefined, segments.join('/'));
});
