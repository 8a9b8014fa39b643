/** Patterns that objects are found by. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findPaths } from '../src/model/find-paths.js';
import { isPattern, parsePathPattern } from '../src/model/path-pattern.js';

const paths = ['a.csv', 'A.CSV', 'f/a.csv', 'f/g/b.csv', 'f/g/c.txt', 'g/a.csv'];
const matching = (text: string): readonly string[] => {
  const pattern = parsePathPattern(text);
  return paths.filter(path => path.startsWith(pattern.within) && pattern.matches(path));
};

describe('patterns of paths', () => {
  it('without a slash are for names in all folders, with one for paths', () => {
    assert.deepEqual(matching('*.csv'), ['a.csv', 'A.CSV', 'f/a.csv', 'f/g/b.csv', 'g/a.csv']);
    assert.deepEqual(matching('/*.csv'), ['a.csv', 'A.CSV']);
    assert.deepEqual(matching('f/*.csv'), ['f/a.csv']);
    assert.deepEqual(matching('f/**/*.CSV'), ['f/a.csv', 'f/g/b.csv']);
    assert.deepEqual(matching('**/g/?.*'), ['f/g/b.csv', 'f/g/c.txt', 'g/a.csv']);
    assert.deepEqual(matching('?.txt'), ['f/g/c.txt']);
    assert.deepEqual(matching('**'), paths);
    assert.deepEqual(matching('none*'), []);
  });

  it('name the folders below which they can match', () => {
    for (const [text, within] of [
      ['*.csv', ''],
      ['/*.csv', ''],
      ['f/g/*.csv', 'f/g/'],
      ['f/g*/x', 'f/'],
      ['f/**/x', 'f/'],
      ['😀/?', '😀/'],
    ] as const)
      assert.equal(parsePathPattern(text).within, within, text);
  });

  it('differ from parts of names by their wildcards, and too long ones are refused', () => {
    assert.deepEqual(['a.csv', '*.csv', 'a?', ''].map(isPattern), [false, true, true, false]);
    assert.throws(() => parsePathPattern('*'.repeat(201)), /longer than 200/);
  });

  it('take time that grows with the text only', () => {
    const hostile = parsePathPattern(`${'*a'.repeat(99)}b`);
    assert.equal(hostile.matches('a'.repeat(1024)), false);
  });
});

describe('searches of listings', () => {
  const all = Array.from({ length: 25 }, (_, i) => ({ path: `f/${i % 2 ? 'odd' : 'even'}-${String(i).padStart(2, '0')}` }));
  const load = (asked: string[]) => (prefix: string, after: string) => {
    asked.push(prefix);
    const from = after === '' ? 0 : Number(after);
    const results = all.slice(from, from + 10);
    return Promise.resolve({ results, pagination: { has_more: from + 10 < all.length, next_offset: String(from + 10) } });
  };

  it('read page by page up to a bound, and continue there', async () => {
    const [asked, found]: [string[], string[]] = [[], []];
    const search = {
      pattern: parsePathPattern('f/odd*'),
      folder: '',
      most: 20,
      load: load(asked),
      onProgress: (some: readonly { readonly path: string }[]) => found.push(...some.map(({ path }) => path)),
      signal: new AbortController().signal,
    };
    const after = await findPaths(search);
    assert.deepEqual([after, found.length, asked], ['20', 10, ['f/', 'f/']]);
    assert.equal(await findPaths({ ...search, after: '20' }), undefined);
    assert.deepEqual(
      found,
      all.map(({ path }) => path).filter(path => path.startsWith('f/odd')),
    );
  });

  it('end when they are given up', async () => {
    const controller = new AbortController();
    const search = findPaths({
      pattern: parsePathPattern('*'),
      folder: 'f/',
      most: 1000,
      load: load([]),
      onProgress: () => controller.abort(),
      signal: controller.signal,
    });
    await assert.rejects(search, /abort/i);
  });
});
