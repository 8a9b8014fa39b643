/** Deletion vectors: bitmaps as other programs write them, and damaged ones. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { isSrvError } from '@srv/kernel';
import { seededRandom } from '@srv/kernel/testing';
import { positionsOf } from '../src/server/scan/deletion-vector.js';

/** A blob of a Puffin file. */
function blobOf(bitmap: Buffer): Buffer {
  const inner = Buffer.concat([Buffer.from([0xd1, 0xd3, 0x39, 0x64]), bitmap]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(inner.length);
  sum.writeUInt32BE(crc32(inner));
  return Buffer.concat([length, inner, sum]);
}

const u16 = (...values: readonly number[]): Buffer => Buffer.from(Uint16Array.from(values).buffer);
const u32 = (...values: readonly number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);

/** Written by pyroaring: single positions, a run of 30,000, and one above 32 bits. */
const written = Buffer.from('AgAAAAAAAAAAAAAAOzACAAQAAAIAAQAAAAMAL3UAAAEABQBwEQEAQA0vdQIAAAA6MAAAAQAAAAAAAAAQAAAABwA=', 'base64');

describe('a deletion vector', () => {
  it('has the positions that another program wrote', () => {
    const run = Array.from({ length: 30_000 }, (_, i) => 200_000 + i);
    assert.deepEqual(positionsOf(blobOf(written)), [0, 1, 5, 70_000, ...run, 2 ** 33 + 7]);
  });

  it('has those of a container that is a bitmap', () => {
    const words = Buffer.alloc(8192);
    const expected: number[] = [];
    for (let at = 0; at < 65_536; at += 3) {
      words[at >> 3] = (words[at >> 3] ?? 0) | (1 << (at & 7));
      expected.push(2 * 65_536 + at);
    }
    const bitmap = Buffer.concat([u32(1, 0), u32(0), u32(12_346, 1), u16(2, expected.length - 1), u32(0), words]);
    assert.deepEqual(positionsOf(blobOf(bitmap)), expected);
  });

  it('is refused when it is cut off, damaged or too large, with words', () => {
    const random = seededRandom();
    const refused = (blob: Buffer): void => {
      try {
        positionsOf(blob);
      } catch (error) {
        assert.ok(isSrvError(error, 'invalid'), String(error));
        return;
      }
      assert.fail(`it is taken (seed ${random.seed})`);
    };
    const whole = blobOf(written);
    for (let length = 0; length < whole.length; length += 7) refused(whole.subarray(0, length));
    for (let length = 0; length < written.length; length++) refused(blobOf(written.subarray(0, length)));
    for (let i = 0; i < 200; i++) {
      const damaged = Buffer.from(whole);
      const at = random.below(damaged.length);
      damaged[at] = (damaged[at] ?? 0) ^ (1 + random.below(255));
      refused(damaged);
    }
    // Two billion bitmaps; runs of 65,536 rows without end.
    refused(blobOf(u32(0x7f_ff_ff_ff, 0)));
    const runs = Buffer.concat([u16(20_000), ...Array.from({ length: 20_000 }, () => u16(0, 65_535))]);
    refused(blobOf(Buffer.concat([u32(1, 0), u32(0), u32(12_347), Buffer.from([1]), u16(0, 65_535), runs])));
  });
});
