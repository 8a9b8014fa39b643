/** Pages against a naive listing: delimiters of one to four bytes, markers of every length, also ones no page ends at. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCount } from '@srv/kernel/testing';
import { pageOf } from '../../src/objects/listing.js';
import { commit, listPaths, newRepository, openEngine } from './fixture.js';
import type { PagedRequest, SeekableItems } from '../../src/objects/listing.js';

/** Of one to four bytes each; some begin as they end, so that they overlap in keys. */
const delimiters = ['/', '//', '/a', 'a/a', 'ü', '€', '//a', '///', '😀', '////', '/a/a', 'üü'];
const letters = ['a', 'b', '/', 'ü'];
const longer = ['a€b', 'a€€c', '€', '€a', 'a😀b', '😀', '😀😀', 'main/a', 'main//a', 'main////b', 'b/a/a/a', 'üüü', 'aüüb'];

/** All texts of up to `length` letters. */
function textsUpTo(length: number): string[] {
  const longest = length === 0 ? [] : textsUpTo(length - 1).flatMap(text => letters.map(letter => text + letter));
  return [...new Set(['', ...longest])];
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const byBytes = (a: string, b: string): number => Buffer.compare(bytesOf(a), bytesOf(b));

/** What a listing shows, from the definition: byte for byte, one key after another. */
function naive(keys: readonly string[], { prefix = '', after = '', delimiter = '' }: PagedRequest): string[] {
  const shownAs = (key: string): string => {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    return end < 0 ? key : key.slice(0, end + delimiter.length);
  };
  // A marker that is itself shown as a common prefix stands for everything below it.
  const seen = (key: string): boolean => byBytes(key, after) <= 0 || shownAs(key) === after;
  const shown = keys.filter(key => key.startsWith(prefix) && !seen(key)).map(shownAs);
  return [...new Set(shown)].sort(byBytes);
}

function itemsOf(sorted: readonly Buffer[]): SeekableItems<undefined> {
  let at = sorted.length;
  return {
    get current() {
      const key = sorted[at];
      return key && { key, item: undefined };
    },
    async seek(key) {
      at = sorted.findIndex(candidate => Buffer.compare(candidate, key) >= 0);
      if (at < 0) at = sorted.length;
    },
    next() {
      at++;
      return undefined;
    },
  };
}

describe('a page', () => {
  const keys = [...new Set([...textsUpTo(3), ...longer])].filter(key => key !== '').sort(byBytes);
  const sorted = keys.map(bytesOf);
  const markers = [...new Set([...textsUpTo(4), ...longer, ...longer.map(key => key.slice(0, -1)), ...longer.map(key => `${key}a`)])];

  for (const delimiter of ['', ...delimiters])
    it(`continues after any marker, delimiter ${JSON.stringify(delimiter)}`, async () => {
      for (const prefix of ['', 'a', 'a/', '/', 'ü', 'main/'])
        for (const after of markers) {
          const { results } = await pageOf(itemsOf(sorted), { prefix, after, delimiter, amount: 1000 });
          assert.deepEqual(
            results.map(({ path }) => path),
            naive(keys, { prefix, after, delimiter }),
            JSON.stringify({ prefix, after, delimiter }),
          );
        }
    });

  it('of any size continues where the last one ended', async () => {
    for (const delimiter of delimiters)
      for (const amount of [1, 2, 3, 7]) {
        const found: string[] = [];
        for (let after = '', more = true; more; ) {
          const page = await pageOf(itemsOf(sorted), { after, delimiter, amount });
          found.push(...page.results.map(({ path }) => path));
          [more, after] = [page.hasMore, page.nextOffset];
        }
        assert.deepEqual(found, naive(keys, { delimiter }), JSON.stringify({ delimiter, amount }));
      }
  });
});

describe('the catalog', () => {
  it('lists and compares after any marker', async t => {
    const { engine } = await openEngine(t, { 'committed.permanent.range_raggedness_entries': 5 });
    const keys = [...textsUpTo(2), ...longer].filter(key => key !== '');
    const id = await newRepository(engine, 'repo', ...keys.filter((_, i) => i % 2 === 0));
    await engine.commit(id, 'main', commit);
    for (const key of keys.filter((_, i) => i % 2 === 1)) await engine.putObject(id, 'main', key, Buffer.from(key));
    await engine.createBranch(id, 'all', 'main');
    for (const key of keys) await engine.putObject(id, 'all', key, Buffer.from(`new ${key}`));
    await engine.commit(id, 'all', commit);
    for (const delimiter of delimiters.slice(0, runCount(3, delimiters.length))) {
      assert.deepEqual(await listPaths(engine, id, 'main', { delimiter, amount: 2 }), naive(keys, { delimiter }), delimiter);
      for (const prefix of ['', 'a'])
        for (const after of [...keys, ...keys.map(key => key.slice(0, -1)), 'zz', 'main/']) {
          const request = { prefix, after, delimiter, amount: 1000 };
          const wanted = naive(keys, request);
          const listed = await engine.list(id, 'main', request);
          assert.deepEqual(
            listed.results.map(({ path }) => path),
            wanted,
            `list ${JSON.stringify(request)}`,
          );
          const compared = await engine.diff(id, 'main', 'all', { ...request, type: 'two_dot' });
          assert.deepEqual(
            compared.results.map(({ path }) => path),
            wanted,
            `diff ${JSON.stringify(request)}`,
          );
        }
    }
  });
});
