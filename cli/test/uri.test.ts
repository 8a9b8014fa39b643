import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UriError, branchUri, formatUri, parseUri, pathUri, refUri, repositoryUri } from '@srv/lib-commands';
import fc from 'fast-check';
import type { SrvUri } from '@srv/lib-commands';

const parsed: readonly [text: string, base: string, uri: SrvUri][] = [
  ['srv://repo', '', { repository: 'repo' }],
  ['srv://repo/', '', { repository: 'repo', ref: '' }],
  ['srv://repo/main', '', { repository: 'repo', ref: 'main' }],
  ['srv://repo/main/', '', { repository: 'repo', ref: 'main', path: '' }],
  ['srv://repo/main//', '', { repository: 'repo', ref: 'main', path: '/' }],
  ['srv://repo/main/a/b//c', '', { repository: 'repo', ref: 'main', path: 'a/b//c' }],
  ['srv://repo/main/100%25?x=1#y z', '', { repository: 'repo', ref: 'main', path: '100%25?x=1#y z' }],
  ['srv://repo/main/../a', '', { repository: 'repo', ref: 'main', path: '../a' }],
  ['srv://repo:8000/main', '', { repository: 'repo', ref: 'main' }],
  ['lakefs://repo/main', '', { repository: 'repo', ref: 'main' }],
  ['repo1', 'srv://', { repository: 'repo1' }],
  ['/main/f', 'srv://repo1', { repository: 'repo1', ref: 'main', path: 'f' }],
  ['x', 'srv://r/main', { repository: 'r', ref: 'mainx' }],
  ['srv://other/main', 'srv://repo/main/', { repository: 'other', ref: 'main' }],
];
for (const [text, base, uri] of parsed) {
  test(`${JSON.stringify(text)} after ${JSON.stringify(base)}`, () => {
    assert.deepEqual(parseUri(text, base), uri);
  });
}

for (const text of [
  '',
  'repo',
  'http://repo/main',
  'srv:/repo',
  'srv://',
  'srv:///main',
  'srv://user@repo/main',
  'srv://repo:x/main',
  'srv://repo:1:2',
  'srv://repo::',
  'SRV://repo',
]) {
  test(`malformed: ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => parseUri(text),
      ({ message }: Error) =>
        message.startsWith(`malformed srv URI ${JSON.stringify(text)}: it must look like srv://<repository>/<ref>/<path>`),
    );
  });
}

test('reports a missing slash', () => {
  assert.throws(() => parseUri('srv:/repo/main'), /; did you mean srv:\/\/repo\/main\?$/);
});

type Reader = (text: string) => SrvUri;
const refused: readonly [reader: Reader, text: string, message: string][] = [
  [
    repositoryUri,
    'srv://ab',
    'contains invalid repository name (repo=ab): not a valid repo URI; 3 to 63 lower-case letters, digits and dashes, not a dash first',
  ],
  [
    repositoryUri,
    'srv://Repo',
    'contains invalid repository name (repo=Repo): not a valid repo URI; 3 to 63 lower-case letters, digits and dashes, not a dash first',
  ],
  [repositoryUri, 'srv://repo/main', 'repository URI includes a ref part (ref=main): not a valid repo URI'],
  [repositoryUri, 'srv://repo//x', 'repository URI includes path part (path=x): not a valid repo URI'],
  [refUri, 'srv://repo', 'missing reference part: not a valid ref URI'],
  [refUri, 'srv://repo/', 'missing reference part: not a valid ref URI'],
  [refUri, 'srv://repo/a b', 'contains invalid reference name: not a valid ref URI; a name has no spaces'],
  [refUri, 'srv://repo/main/x', 'ref URI includes a path part (path=x): not a valid ref URI'],
  [branchUri, 'srv://repo/main/x', 'branch URI includes a path part: not a valid branch URI'],
  [
    branchUri,
    'srv://repo/main~1',
    'contains invalid branch name: not a valid branch URI; letters, digits, underscores and dashes, not a dash first',
  ],
  [
    branchUri,
    'srv://repo/-main',
    'contains invalid branch name: not a valid branch URI; letters, digits, underscores and dashes, not a dash first',
  ],
  [pathUri, 'srv://repo/main', 'missing path part: not a valid path URI'],
];
for (const [reader, text, message] of refused) {
  test(`${reader.name} refuses ${text}`, () => {
    assert.throws(() => reader(text), { message });
  });
}

test('each kind accepts its own addresses only', () => {
  assert.deepEqual(repositoryUri('srv://repo/'), { repository: 'repo' });
  assert.deepEqual(branchUri('srv://repo/main//'), { repository: 'repo', ref: 'main' });
  for (const ref of ['main~1', 'main^2', 'main$', 'a@b', 'v1.0', 'x:y']) assert.equal(refUri(`srv://repo/${ref}`).ref, ref);
  assert.equal(refUri('srv://repo/main/').ref, 'main');
  assert.equal(pathUri('srv://repo/main/').path, '');
});

const names = fc.stringMatching(/^[a-z0-9][a-z0-9-]{2,20}$/);
const refs = fc.stringMatching(/^[A-Za-z0-9_@~^$.-]{1,20}$/);

test('a path with any content survives the round trip', () => {
  fc.assert(
    fc.property(names, refs, fc.string({ unit: 'binary' }), (repository, ref, path) => {
      const uri = { repository, ref, path };
      assert.deepEqual(pathUri(formatUri(uri)), uri);
    }),
  );
});

test('no text makes the parser fail in an unexpected way, and what it reads it can write', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map(rest => `srv://${rest}`),
        // What separates parts, often.
        fc.string({ unit: fc.constantFrom(...':/@ a1') }).map(rest => `srv://${rest}`),
      ),
      text => {
        try {
          const uri = parseUri(text);
          assert.deepEqual(parseUri(formatUri(uri)), uri);
        } catch (error) {
          assert.ok(error instanceof UriError, String(error));
        }
      },
    ),
  );
});
