/** The filter language: what it means, and what it says of what it does not understand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { seededRandom } from '@srv/kernel/testing';
import { parseGlob, wildcardSyntax } from '@srv/lib-records/glob';
import { compileWhere } from '../src/where/filter.js';
import { wildcard } from '../src/where/wildcard.js';
import type { FieldName, Row } from '../src/where/fields.js';

const metadata: Readonly<Record<string, string>> = {
  label: 'cat',
  width: '640',
  'the key': 'x',
  depth: '-11.50',
  long: '9007199254740993',
  none: '',
};
const row: Row = {
  number: field => (field === 'size' ? 20_000_000 : Date.UTC(2026, 5, 1)),
  text: field => ({ path: 'images/a b.png', etag: 'e1', content_type: 'image/png', commit_id: 'c1', committer: 'ann' })[field],
  metadata: key => (Object.hasOwn(metadata, key) ? metadata[key] : undefined),
};

const holding = [
  'size > 10MB and metadata.label = "cat"',
  "size > 19MiB && metadata.label === 'cat'",
  'not size < 1GB or path like "images/*.png"',
  '!(size > 1GB)',
  'path like "*a ?.png"',
  'path ~ "*"',
  'path not like "*.txt"',
  'path in ("x", "images/a b.png")',
  'path not in ("x")',
  'modified > "2026-05-01" and modified < "2026-06-02T00:00:00Z"',
  'mtime = 1780272000',
  'metadata.width > 100',
  'metadata.depth > -12 and metadata.depth < -11.25 and metadata.depth in (1, -11.5)',
  'metadata.depth = -11.5 and not metadata.depth != -11.50',
  'metadata.long = 9007199254740993 and metadata.long != 9007199254740992 and metadata.none != 0',
  'metadata["the key"] = "x"',
  'metadata."the key" = "x"',
  'metadata.width and not metadata.height',
  'metadata.height != "1"',
  'committer = "ann" and commit_id <> "c2" and checksum == "e1"',
  'content_type like "image/*"',
  'path >= "images/" and path < "images0"',
];

describe('an expression', () => {
  for (const text of holding)
    it(`holds: ${text}`, () => {
      const filter = compileWhere(text);
      assert.equal(filter.test(row), true);
      assert.equal(filter.mayHold({ size: { min: 1, max: 30_000_000 }, modified: { min: 0, max: Date.UTC(2027, 0) } }), true);
      assert.ok('images/a b.png'.startsWith(filter.prefix), filter.prefix);
      assert.equal(compileWhere(`not (${text})`).test(row), false);
      // Columns that it does not name are not loaded.
      const named = (name: FieldName | 'metadata'): void => assert.ok(filter.fields.has(name), `${name} is read and not named`);
      const watched: Row = {
        number: field => (named(field), row.number(field)),
        text: field => (named(field), row.text(field)),
        metadata: key => (named('metadata'), row.metadata(key)),
      };
      assert.equal(filter.test(watched), true);
    });

  it('narrows the paths and the ranges that are read', () => {
    assert.equal(compileWhere('size > 1 and path like "images/*.png"').prefix, 'images/');
    assert.equal(compileWhere('path like "images/a*" or path = "images/b"').prefix, 'images/');
    assert.equal(compileWhere('path like "images/a*" or size > 1').prefix, '');
    // Characters that begin with the same half.
    assert.equal(compileWhere('path in ("img/😀a", "img/😁b")').prefix, 'img/');
    assert.equal(compileWhere('path like "😀*" or path like "😀a*"').prefix, '😀');
    assert.equal(compileWhere('not path like "images/*"').prefix, '');
    const extremes = { size: { min: 5, max: 9 }, modified: { min: 0, max: 0 } };
    for (const [text, may] of [
      ['size > 9', false],
      ['size >= 9', true],
      ['size < 5', false],
      ['size <= 5', true],
      ['size = 4', false],
      ['size != 7', true],
      ['not size > 9', true],
      ['size > 9 or path = "a"', true],
    ] as const)
      assert.equal(compileWhere(text).mayHold(extremes), may, text);
  });

  for (const [text, message] of [
    ['', /a field is expected, not the end; fields are path, size/],
    ['szie > 1', /no field is called szie; did you mean size\?/],
    ['size > 10QB', /character 8: 10QB is not a number; units are b, kb/],
    ['size > "much"', /size is compared with a number or a size such as 10MB, not "much"/],
    ['size like "1*"', /size is a number: compare it with/],
    ['modified > "soon"', /"soon" is not a date such as "2026-05-01"/],
    ['path = "a', /the text that begins with " does not end/],
    ['path = a', /a value is expected, not a: /],
    ['path "a"', /an operator is expected after path/],
    ['path constructor "a"', /an operator is expected after path/],
    ['metadata = "a"', /metadata needs a key: metadata\.label/],
    ['path = "a" path = "b"', /path does not continue the expression; join conditions by and, or/],
    ['(path = "a"', /\) is expected, not the end/],
    ['size > - 1', /character 8: "-" means nothing here/],
    ['path = "a" ; drop', /";" means nothing here/],
    [`${'('.repeat(200)}path = "a"${')'.repeat(200)}`, /nested more than 100 times/],
    [`${'not '.repeat(200)}path = "a"`, /nested more than 100 times/],
    [`path = "${'a'.repeat(10_000)}"`, /longer than 10000 characters/],
  ] as const)
    it(`is refused with the place and the remedy: ${text.slice(0, 40)}`, () => {
      assert.throws(
        () => compileWhere(text),
        (error: unknown) => isSrvError(error, 'invalid') && message.test(error.message),
      );
    });

  it('of random tokens is understood or refused', () => {
    const random = seededRandom();
    const words = [
      'path',
      'size',
      'metadata',
      '.',
      '[',
      ']',
      '(',
      ')',
      'and',
      'or',
      'not',
      'in',
      'like',
      '=',
      '<',
      '"a"',
      '10MB',
      '!',
      ',',
      '~',
      '7',
    ];
    for (let i = 0; i < 3000; i++) {
      const text = Array.from({ length: random.below(12) }, () => random.choose(words)).join(' ');
      try {
        assert.equal(typeof compileWhere(text).test(row), 'boolean');
      } catch (error) {
        assert.ok(isSrvError(error, 'invalid'), `seed ${random.seed}: ${text}: ${String(error)}`);
      }
    }
  });
});

it('a pattern matches as those of policies do', () => {
  const random = seededRandom();
  const text = (letters: string, length: number): string =>
    Array.from({ length: random.below(length) }, () => random.choose([...letters])).join('');
  for (let i = 0; i < 20_000; i++) {
    const [pattern, path] = [text('ab*?*', 7), text('ab', 9)];
    const expected = parseGlob(pattern, wildcardSyntax).matches(path);
    assert.equal(wildcard(pattern, 0)(path), expected, `seed ${random.seed}: ${pattern} on ${path}`);
  }
});
