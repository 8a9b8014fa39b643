/** Files of an index: what is written is read, and damage is found. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { seededRandom } from '@srv/kernel/testing';
import { AttributionWriter, decodeAttribution } from '../src/format/attribution.js';
import { columnNames, decodeHead, decodeNumbers, decodeTexts, encodeColumns } from '../src/format/columns.js';
import { decodeSnapshot, encodeSnapshot } from '../src/format/snapshot.js';
import type { Snapshot } from '../src/format/snapshot.js';

const [commit, other] = ['c'.repeat(64), 'd'.repeat(64)];

function textsOf(texts: readonly string[]) {
  const parts = texts.map(text => Buffer.from(text));
  let end = 0;
  return { bytes: Buffer.concat(parts), ends: Uint32Array.from(parts, part => (end += part.length)) };
}

async function readAll(file: Buffer) {
  const { count, bytes, sizes, times, columns } = decodeHead(file, 'x', file.length);
  const found: Record<string, unknown> = { count, bytes, sizes, times };
  for (const name of columnNames) {
    const placed = columns[name];
    const stored = file.subarray(placed.start, placed.start + placed.stored);
    if (name === 'size' || name === 'modified') found[name] = [...(await decodeNumbers(stored, placed, 'x'))];
    else {
      const texts = await decodeTexts(stored, { placed, count }, 'x');
      found[name] = Array.from({ length: count }, (_, i) => texts.text(i));
    }
  }
  return found;
}

const paths = ['a', 'a/ü', 'b'.repeat(500)];
const file = encodeColumns({
  texts: { path: textsOf(paths), etag: textsOf(['1', '', '3']), type: textsOf(['', '', '']), metadata: textsOf(['{"a":"b"}', '', '']) },
  numbers: { size: Float64Array.of(1, 2 ** 40, 3), modified: Float64Array.of(-5, 0, 5) },
});

describe('a file of columns', () => {
  it('is read as it was written', async () => {
    assert.deepEqual(await readAll(file), {
      count: 3,
      bytes: 2 ** 40 + 4,
      sizes: { min: 1, max: 2 ** 40 },
      times: { min: -5, max: 5 },
      path: paths,
      size: [1, 2 ** 40, 3],
      modified: [-5, 0, 5],
      etag: ['1', '', '3'],
      type: ['', '', ''],
      metadata: ['{"a":"b"}', '', ''],
    });
  });

  it('without entries is read', async () => {
    const none = textsOf([]);
    const empty = encodeColumns({
      texts: { path: none, etag: none, type: none, metadata: none },
      numbers: { size: new Float64Array(0), modified: new Float64Array(0) },
    });
    assert.equal((await readAll(empty)).count, 0);
  });

  it('that is damaged is refused as such, or read', async () => {
    const random = seededRandom();
    let refused = 0;
    for (let i = 0; i < 2000; i++) {
      const bytes = Buffer.from(file.subarray(0, random.below(3) === 0 ? random.below(file.length) : file.length));
      for (let n = random.below(4); n >= 0 && bytes.length > 0; n--) bytes[random.below(bytes.length)] = random.below(256);
      try {
        await readAll(bytes);
      } catch (error) {
        refused++;
        assert.ok(isSrvError(error, 'corrupt') && /search rebuild/.test(error.message), `seed ${random.seed}: ${String(error)}`);
      }
    }
    assert.ok(refused > 500);
  });
});

describe('an attribution', () => {
  it('is read as it was written', () => {
    const writer = new AttributionWriter();
    for (const author of [commit, commit, other, commit]) writer.add(author);
    assert.equal(writer.single, undefined);
    const { commits, indexes } = decodeAttribution(writer.encode(), 4, 'x');
    assert.deepEqual(
      [...indexes].map(i => commits[i]),
      [commit, commit, other, commit],
    );
  });

  for (const bad of [
    '',
    '{}',
    '{"commits":["x"],"runs":[]}',
    `{"commits":["${commit}"],"runs":[3,0]}`,
    `{"commits":["${commit}"],"runs":[4,1]}`,
    `{"commits":["${commit}"],"runs":[-1,0,5,0]}`,
    `{"commits":["${commit}"],"runs":[4]}`,
    `{"commits":["${commit}"],"runs":[5,0]}`,
  ])
    it(`of 4 entries is refused: ${bad.replace(commit, '…')}`, () => {
      assert.throws(
        () => decodeAttribution(Buffer.from(bad), 4, 'x'),
        (error: unknown) => isSrvError(error, 'corrupt'),
      );
    });
});

describe('a snapshot', () => {
  const range = { id: other, count: 2, minKey: Buffer.from('a'), maxKey: Buffer.from([0xff]), by: { commit } };
  const snapshot: Snapshot = {
    commit,
    metarange: 'm',
    ranges: [range, { ...range, minKey: Buffer.from([0xff, 1]), maxKey: Buffer.from([0xff, 2]), by: { file: other } }],
  };

  it('is read as it was written', () => {
    assert.deepEqual(decodeSnapshot(encodeSnapshot(snapshot), commit), snapshot);
  });

  for (const [what, bytes] of [
    ['another commit', encodeSnapshot({ ...snapshot, commit: other })],
    ['ranges out of order', encodeSnapshot({ ...snapshot, ranges: [...snapshot.ranges].reverse() })],
    ['a bad id', encodeSnapshot({ ...snapshot, ranges: [{ ...range, id: 'x' }] })],
    ['a bad count', encodeSnapshot({ ...snapshot, ranges: [{ ...range, count: -1 }] })],
    ['a bad author', encodeSnapshot({ ...snapshot, ranges: [{ ...range, by: { file: '../x' } }] })],
    ['no JSON', Buffer.from('{')],
    ['null', Buffer.from('null')],
  ] as const)
    it(`is refused: ${what}`, () => {
      assert.throws(
        () => decodeSnapshot(bytes, commit),
        (error: unknown) => isSrvError(error, 'corrupt'),
      );
    });
});
