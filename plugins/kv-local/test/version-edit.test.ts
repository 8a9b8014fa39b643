import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@srv/kernel/testing';
import { decodeVersionEdit } from '../src/server/version-edit.js';

const text = (value: string): number[] => [value.length, ...Buffer.from(value)];
/** As LevelDB writes them: the comparator, log 300, file 5, sequence number 1, and the edits of tables. */
const golden = Buffer.from(
  [
    [1, ...text('leveldb.BytewiseComparator')],
    [2, 0xac, 0x02],
    [9, 0],
    [3, 5],
    [4, 1],
    [5, 1, ...text('pointer!')],
    [6, 0, 7],
    [7, 2, 8, 0x80, 0x80, 0x01, ...text('smallest'), ...text('largest!')],
  ].flat(),
);

test('an edit says which log is needed and which tables come and go', () => {
  assert.deepEqual(decodeVersionEdit(golden), {
    log: 300,
    previousLog: 0,
    deleted: [{ level: 0, number: 7 }],
    added: [{ level: 2, number: 8, bytes: 16_384 }],
  });
  assert.deepEqual(decodeVersionEdit(Buffer.alloc(0)), { log: undefined, previousLog: undefined, deleted: [], added: [] });
});

for (const [name, bytes] of [
  ['an unknown tag', [8, 1]],
  ['a number that is cut off', [2, 0x80]],
  ['a number of eleven bytes', [2, ...Array.from({ length: 10 }, () => 0x80), 1]],
  ['a number that no file has', [2, ...Array.from({ length: 9 }, () => 0xff), 1]],
  ['a level that does not exist', [6, 7, 1]],
  ['a text that is cut off', [1, 5, 0x61]],
  ['a text of 2^63 bytes', [1, ...Array.from({ length: 9 }, () => 0x80), 1]],
] satisfies [string, number[]][])
  test(`${name} is not an edit`, () => assert.equal(decodeVersionEdit(Buffer.from(bytes)), undefined));

const random = seededRandom();
test(`no bytes make the decoder fail; SRV_TEST_SEED=${random.seed}`, () => {
  for (let i = 0; i < 20_000; i++) {
    const bytes = Buffer.from(golden.subarray(0, 1 + random.below(golden.length)));
    for (let changes = random.below(4); changes > 0; changes--) bytes[random.below(bytes.length)] = random.below(256);
    decodeVersionEdit(bytes);
  }
});
