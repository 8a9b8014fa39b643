import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SrvError } from '@srv/kernel';
import fc from 'fast-check';
import { BlockBuilder } from '../../src/tables/format/block-builder.js';
import { BlockCursor } from '../../src/tables/format/block-cursor.js';
import { BlockSearch } from '../../src/tables/format/block-search.js';

/** As the writer's, so that keys continuing with these bytes share more than their user keys. */
const trailer = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
const fail = (at: number, expected: string): SrvError => new SrvError('corrupt', `byte ${at}: expected ${expected}`);

/** Few letters, those of the trailer among them: keys begin with one another. */
const anyKey = fc.array(fc.constantFrom(0, 1, 97, 98, 255), { minLength: 0, maxLength: 14 }).map(bytes => Buffer.from(bytes));
const anyKeys = fc
  .uniqueArray(anyKey, { selector: key => key.toString('hex'), maxLength: 60 })
  .map(keys => keys.sort((a, b) => Buffer.compare(a, b)));

function blockOf(keys: readonly Buffer[], interval: number): Buffer {
  const builder = new BlockBuilder(interval);
  for (const key of keys) builder.add(Buffer.concat([key, trailer]), Buffer.from(`value of ${key.toString('hex')}`));
  return Buffer.from(builder.finish());
}

describe('searching a block', () => {
  it('finds what a cursor finds', () => {
    fc.assert(
      fc.property(anyKeys, fc.array(anyKey, { maxLength: 20 }), fc.constantFrom(1, 2, 3, 16), (keys, others, interval) => {
        const content = { bytes: blockOf(keys, interval), fail };
        const search = new BlockSearch(trailer.length);
        for (const target of [...keys, ...others]) {
          const cursor = new BlockCursor(content, trailer.length);
          cursor.seek(target);
          const isEqual = cursor.valid && cursor.compareKey(target) === 0;
          assert.deepEqual(search.find(content, target, 'not-below'), cursor.valid ? cursor.value : undefined);
          assert.deepEqual(search.find(content, target, 'equal'), isEqual ? cursor.value : undefined);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a damaged block ends in its error, a value or nothing', () => {
    const search = new BlockSearch(trailer.length);
    fc.assert(
      fc.property(
        anyKeys,
        fc.constantFrom(1, 2, 16),
        anyKey,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        fc.nat(8),
        (keys, interval, target, edits, cut) => {
          const bytes = blockOf(keys, interval);
          for (const [at, byte] of edits) bytes[at % bytes.length] = byte;
          for (const wanted of ['equal', 'not-below'] as const) {
            try {
              const found = search.find({ bytes: bytes.subarray(0, bytes.length - cut), fail }, target, wanted);
              assert.ok(found === undefined || found.length <= bytes.length);
            } catch (error) {
              assert.ok(error instanceof SrvError, String(error));
            }
          }
        },
      ),
      { numRuns: 5000 },
    );
  });
});
