/** Address cases of the block suite: the three kinds of identifiers, and keys that invite mistakes. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '../block/contract.js';
import { full, newKey, read, relative } from './block-case.js';
import type { BlockCase } from './block-case.js';

/** Endings appended to a fresh key; together they hold every character and shape that has gone wrong somewhere. */
const awkward: readonly string[] = [
  'plain',
  'with space',
  ' leading and trailing ',
  'special%3Atest_file',
  'a%20b',
  'a%2Fb',
  '100%',
  '%',
  'a+b',
  'what?x=1&y=2',
  'a#b',
  'a,b;c=d@e:f',
  'quote\'"`',
  'back\\slash',
  'semi<>|*',
  '[a]{b}^~',
  'tab\there',
  'é',
  'e\u0301',
  '日本語/ファイル',
  '😀',
  'ünï/cødé',
  'double//slash',
  '//two leading',
  'triple///slash',
  'trailing/',
  'trailing//',
  '.hidden',
  '.hidden/file',
  '..double',
  'dots...',
  'a/.b/..c',
  'CON',
  'upper/CASE',
  'case/Upper',
  'case/upper',
  '-dash',
  '~tilde',
  '$HOME',
  'link,aGVsbG8',
  `${'s'.repeat(255)}`,
  `${'s'.repeat(256)}`,
  `${'long/'.repeat(150)}end`,
  `${'x'.repeat(600)}/${'y'.repeat(300)}`,
];

export function addressCases(suite: BlockCase): void {
  const { store } = suite;
  const accepted = (key: string): boolean => !(suite.options.refusesKey?.(key) ?? false);
  const put = (key: string): Promise<unknown> => store().put(relative(suite, key), Buffer.from(`content of ${key}`));
  const text = async (key: string): Promise<string> => (await read(store(), relative(suite, key))).toString();

  it('the same object is reached by a relative key, a full URI and the deprecated kind of either', async () => {
    for (const name of ['test_file', 'special%3Atest_file']) {
      const pointer = relative(suite, newKey(name));
      const address = store().resolve(pointer);
      assert.match(address, /^[a-z0-9]+:\/\//);
      const { namespace, identifier } = pointer;
      const others = [
        full(suite, pointer),
        { namespace, identifier, identifierType: identifierType.byPrefix },
        { namespace, identifier: address, identifierType: identifierType.byPrefix },
      ];
      await store().put(pointer, Buffer.from('relative'));
      for (const [i, other] of others.entries()) {
        assert.equal(store().resolve(other), address);
        assert.equal(await store().exists(other), true);
        await store().put(other, Buffer.from(`written as ${i}`));
        assert.equal((await read(store(), pointer)).toString(), `written as ${i}`);
      }
    }
  });

  it('a slash at the end of the namespace changes nothing', async () => {
    const pointer = relative(suite, newKey());
    await store().put(pointer, Buffer.from('x'));
    const slashed = { ...pointer, namespace: `${pointer.namespace}/` };
    assert.equal(store().resolve(slashed), store().resolve(pointer));
    assert.equal(await store().exists(slashed), true);
  });

  it('refuses addresses of a scheme it does not serve', async () => {
    const pointer = relative(suite, 'bar');
    for (const foreign of [
      { ...pointer, namespace: 'nosuchscheme://foo/' },
      { ...pointer, namespace: 'foo' },
      { ...pointer, identifier: 'nosuchscheme://bar/baz', identifierType: identifierType.full },
      { ...pointer, identifier: 'no-scheme/at-all', identifierType: identifierType.full },
    ]) {
      await rejectsWith(() => store().resolve(foreign), 'invalid');
      await rejectsWith(() => store().put(foreign, Buffer.from('x')), 'invalid');
      await rejectsWith(() => store().get(foreign), 'invalid');
    }
  });

  it('keeps awkward keys apart and as they are', async () => {
    const run = newKey('k');
    const keys = awkward.map(ending => `${run}${ending}`).filter(accepted);
    for (const key of keys) await put(key);
    for (const key of keys) {
      assert.equal(await text(key), `content of ${key}`);
      assert.equal((await read(store(), full(suite, relative(suite, key)))).toString(), `content of ${key}`, 'by full URI');
      assert.equal((await store().properties(relative(suite, key))).size, Buffer.byteLength(`content of ${key}`));
    }
    for (const [i, key] of keys.entries()) {
      await store().remove(relative(suite, key));
      assert.equal(await store().exists(relative(suite, key)), false, key);
      const next = keys[i + 1];
      if (next !== undefined) assert.equal(await store().exists(relative(suite, next)), true, next);
    }
  });

  it('keeps keys of 1,024 bytes', async () => {
    const start = newKey('');
    const keys = ['x', 'é/']
      .map(unit => `${start}${unit.repeat(1024)}`)
      .map(key =>
        Buffer.from(key)
          .subarray(0, 1024)
          .toString()
          .replace(/\ufffd$/, ''),
      )
      .filter(accepted);
    for (const key of keys) await put(key);
    for (const key of keys) assert.equal(await text(key), `content of ${key}`);
  });

  it('a key may be the "folder" of another, whichever is written first', async () => {
    for (const order of [
      ['a', 'a/b', 'a/b/c', 'a/'],
      ['a/b/c', 'a/', 'a/b', 'a'],
      ['a/b', 'a', 'a/b/c', 'a/'],
    ]) {
      const start = newKey('');
      const keys = order.map(key => start + key).filter(accepted);
      for (const key of keys) await put(key);
      for (const key of keys) assert.equal(await text(key), `content of ${key}`);
      for (const key of keys) {
        await store().put(relative(suite, key), Buffer.from(`new ${key}`));
        assert.equal(await text(key), `new ${key}`);
      }
      for (const [i, key] of keys.entries()) {
        await store().remove(relative(suite, key));
        assert.equal(await store().exists(relative(suite, key)), false, key);
        for (const other of keys.slice(i + 1)) assert.equal(await text(other), `new ${other}`, `${other} after removing ${key}`);
      }
      for (const key of [...keys].reverse()) await put(key);
      for (const key of keys) assert.equal(await text(key), `content of ${key}`, 'written again in the other order');
    }
  });
}
