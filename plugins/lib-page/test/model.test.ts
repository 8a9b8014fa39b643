/** What pages compute without a browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { metadataOf, problemsOf } from '../src/model/metadata-rows.js';
import { ownValue } from '../src/model/own-value.js';
import { agoText, grouped, shownName, sizeText } from '../src/model/text.js';

const seed = process.env['SRV_TEST_SEED'] === undefined ? {} : { seed: Number(process.env['SRV_TEST_SEED']) };

describe('values', () => {
  it('are shown as people read them', () => {
    assert.deepEqual([0, 1023, 1024, 1536, 12_000_000].map(sizeText), ['0 B', '1023 B', '1.0 KiB', '1.5 KiB', '11 MiB']);
    assert.equal(agoText(1000, 1_000_000), 'just now');
    assert.equal(agoText(1000, 1_000_000 + 7_200_000), '2 hours ago');
  });

  it('hide nothing in names', () => {
    assert.equal(shownName('invoice\u202Efdp.exe'), 'invoice\\u{202e}fdp.exe');
    assert.equal(shownName('a\nb\u200bc'), 'a\\u{a}b\\u{200b}c');
    assert.equal(shownName('Größe/日本.txt'), 'Größe/日本.txt');
    for (const unseen of ['\u00a0', '\u00ad', '\u115f', '\u1160', '\u2003', '\u202f', '\u2800', '\u3164', '\uffa0'])
      assert.equal(shownName(`a${unseen}b.txt`), `a\\u{${(unseen.codePointAt(0) ?? 0).toString(16)}}b.txt`);
    assert.deepEqual([' a.txt', 'a.txt ', 'a  b.txt', 'a b.txt', 'dir /\u3000a', '  ', ''].map(shownName), [
      '\\u{20}a.txt',
      'a.txt\\u{20}',
      'a \\u{20}b.txt',
      'a b.txt',
      'dir\\u{20}/\\u{3000}a',
      '\\u{20}\\u{20}',
      '',
    ]);
  });
});

it('a value belongs to a record itself', () => {
  assert.equal(ownValue({ a: 1 }, 'a'), 1);
  for (const name of ['constructor', '__proto__', 'b']) assert.equal(ownValue({ a: 1 }, name), undefined, name);
});

describe('rows of metadata', () => {
  it('have a key, each once', () => {
    const rows = [
      { key: 'a', value: '1' },
      { key: ' a ', value: '2' },
      { key: '', value: '' },
      { key: '  ', value: '' },
    ];
    assert.deepEqual(problemsOf(rows), [undefined, 'Key a exists already', 'Key is required', 'Key is required']);
    assert.deepEqual(metadataOf([{ key: ' k ', value: 'v' }]), { ' k ': 'v' });
  });
});

describe('numbers', () => {
  it('are grouped as English writes them', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), value => assert.equal(grouped(value), value.toLocaleString('en'))),
      seed,
    );
  });
});
