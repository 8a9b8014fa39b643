import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeCondition } from '../../src/operations/objects/conditions.js';
import { dispositionOf } from '../../src/operations/objects/disposition.js';
import { parseRange } from '../../src/operations/objects/range.js';

describe('ranges', () => {
  const cases: [string, number, object][] = [
    ['bytes=0-4', 10, { kind: 'part', range: { start: 0, end: 4 } }],
    ['bytes=5-', 10, { kind: 'part', range: { start: 5, end: 9 } }],
    ['bytes=5-500', 10, { kind: 'part', range: { start: 5, end: 9 } }],
    ['bytes=-3', 10, { kind: 'part', range: { start: 7, end: 9 } }],
    ['bytes=-30', 10, { kind: 'part', range: { start: 0, end: 9 } }],
    ['bytes=10-', 10, { kind: 'outside' }],
    ['bytes=-0', 10, { kind: 'outside' }],
    ['bytes=0-0', 0, { kind: 'outside' }],
    ['bytes=-5', 0, { kind: 'outside' }],
    ['bytes=4-2', 10, { kind: 'malformed' }],
    ['bytes=-', 10, { kind: 'malformed' }],
    ['bytes=0-1,3-4', 10, { kind: 'malformed' }],
    ['bytes=a-b', 10, { kind: 'malformed' }],
    ['items=0-1', 10, { kind: 'malformed' }],
  ];
  for (const [header, size, expected] of cases) it(`${header} of ${size}`, () => assert.deepEqual(parseRange(header, size), expected));
  it('none is the whole', () => assert.deepEqual(parseRange(undefined, 5), { kind: 'whole' }));
});

describe('conditions', () => {
  it('reads write conditions', () => {
    assert.equal(writeCondition(undefined, undefined), undefined);
    assert.deepEqual(writeCondition('*', undefined), { ifAbsent: true });
    assert.deepEqual(writeCondition(undefined, '"abc"'), { ifMatch: 'abc' });
    for (const [a, b] of [
      ['"x"', undefined],
      ['*', '"x"'],
      [undefined, '"x","y"'],
    ])
      assert.throws(() => writeCondition(a, b), { code: 'unsupported' });
  });
  it('shows only exact types in place', () => {
    assert.equal(dispositionOf('image/png'), 'inline');
    for (const type of ['image/svg+xml', 'text/html', 'application/xhtml+xml', 'text/xml', 'text/javascript'])
      assert.equal(dispositionOf(type), 'attachment', type);
    assert.equal(dispositionOf('text/plain; charset=utf-8'), 'attachment');
    assert.equal(dispositionOf('application/x-sh'), 'attachment');
  });
});
