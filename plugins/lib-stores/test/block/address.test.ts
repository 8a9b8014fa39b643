import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLocation, identifierType, locate, splitScheme } from '../../src/block/index.js';
import type { IdentifierType, Location } from '../../src/block/index.js';

const schemes = ['s3', 'gs', 'mem'];
const at = (namespace: string, identifier: string, type: IdentifierType = identifierType.relative): Location =>
  locate({ namespace, identifier, identifierType: type }, schemes);
const { relative, full, byPrefix } = identifierType;

const vectors: readonly [namespace: string, identifier: string, type: IdentifierType, expected: Location, uri: string][] = [
  ['s3://foo', 'bar/baz', relative, { scheme: 's3', namespace: 'foo', key: 'bar/baz' }, 's3://foo/bar/baz'],
  ['s3://foo/', 'bar/baz', relative, { scheme: 's3', namespace: 'foo', key: 'bar/baz' }, 's3://foo/bar/baz'],
  ['gs://foo/bla/', 'bar/baz', relative, { scheme: 'gs', namespace: 'foo/bla', key: 'bar/baz' }, 'gs://foo/bla/bar/baz'],
  // The reference gives out another address than the one it stores under.
  ['gs://foo/bla//', 'bar/baz', relative, { scheme: 'gs', namespace: 'foo/bla/', key: 'bar/baz' }, 'gs://foo/bla//bar/baz'],
  ['gs://foo/bla', '/bar/baz', relative, { scheme: 'gs', namespace: 'foo/bla', key: '/bar/baz' }, 'gs://foo/bla//bar/baz'],
  ['s3://any', 's3://example/bar/baz', full, { scheme: 's3', namespace: 'example', key: 'bar/baz' }, 's3://example/bar/baz'],
  [
    's3://any',
    's3://example/bar/foo%3Abaz',
    full,
    { scheme: 's3', namespace: 'example', key: 'bar/foo%3Abaz' },
    's3://example/bar/foo%3Abaz',
  ],
  ['s3://foo/', 'bar/foo%3Abaz', relative, { scheme: 's3', namespace: 'foo', key: 'bar/foo%3Abaz' }, 's3://foo/bar/foo%3Abaz'],
  ['s3://foo/', '://invalid/baz', relative, { scheme: 's3', namespace: 'foo', key: '://invalid/baz' }, 's3://foo/://invalid/baz'],
  [
    'mem://some-bucket/prefix/',
    'path/to/../file',
    relative,
    { scheme: 'mem', namespace: 'some-bucket/prefix', key: 'path/to/../file' },
    'mem://some-bucket/prefix/path/to/../file',
  ],
  ['s3://n', 's3://example/k', byPrefix, { scheme: 's3', namespace: 'example', key: 'k' }, 's3://example/k'],
  ['s3://n', 'data/k', byPrefix, { scheme: 's3', namespace: 'n', key: 'data/k' }, 's3://n/data/k'],
  ['s3://n', 'S3://Example/K', full, { scheme: 's3', namespace: 'Example', key: 'K' }, 's3://Example/K'],
  // The reference loses these characters when it parses full identifiers as URLs; here they stay.
  ['s3://any', 's3://b/a%20b', full, { scheme: 's3', namespace: 'b', key: 'a%20b' }, 's3://b/a%20b'],
  ['s3://any', 's3://b/a?b#c 100%', full, { scheme: 's3', namespace: 'b', key: 'a?b#c 100%' }, 's3://b/a?b#c 100%'],
  ['s3://any', 's3://b//x\ny', full, { scheme: 's3', namespace: 'b', key: '/x\ny' }, 's3://b//x\ny'],
];
for (const [namespace, identifier, type, expected, uri] of vectors) {
  test(`${namespace} + ${JSON.stringify(identifier)} (${type})`, () => {
    assert.deepEqual(at(namespace, identifier, type), expected);
    assert.equal(formatLocation(expected), uri);
  });
}

const invalid: readonly [namespace: string, identifier: string, type: IdentifierType][] = [
  ['memzzzz://foo/', 'bar', relative],
  ['foo', 'bar', relative],
  ['s3://any', 's4://bar/baz', full],
  ['s3://any', 'no-scheme', full],
];
for (const [namespace, identifier, type] of invalid) {
  test(`${namespace} + ${identifier} (${type}) is an invalid address`, () => {
    assert.throws(() => at(namespace, identifier, type), {
      code: 'invalid',
      message: /invalid address; it must start with s3:\/\/ or gs:\/\/ or mem:\/\/$/,
    });
  });
}

test('schemes are split in lower case', () => {
  assert.deepEqual(splitScheme('S3://a/b'), { scheme: 's3', rest: 'a/b' });
  assert.equal(splitScheme('/a/b'), undefined);
});
