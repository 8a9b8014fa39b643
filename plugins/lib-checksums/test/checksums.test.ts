import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, crc32c, crc32cOf } from '../src/crc32.js';
import { crc64nvme } from '../src/crc64.js';
import type { RunningDigest } from '../src/running-digest.js';

/** The check values of the catalogue of parametrised CRCs: of the text 123456789. */
const kinds: readonly (readonly [name: string, start: () => RunningDigest, check: string])[] = [
  ['CRC-32', crc32, 'cbf43926'],
  ['CRC-32C', crc32c, 'e3069283'],
  ['CRC-64/NVME', crc64nvme, 'ae8b14860a799888'],
];

for (const [name, start, check] of kinds) {
  test(`${name} has its check value, in one piece, in several, and beside another digest`, () => {
    const [whole, pieces, other] = [start(), start(), start()];
    whole.update(Buffer.from('123456789'));
    for (const piece of ['1', '', '2345', '6789']) {
      pieces.update(Buffer.from(piece));
      other.update(Buffer.from(`not ${piece}`));
    }
    assert.equal(whole.digest().toString('hex'), check);
    assert.equal(pieces.digest().toString('hex'), check);
    assert.equal(pieces.digest().toString('hex'), check, 'again');
    assert.notEqual(other.digest().toString('hex'), check);
    assert.equal(start().digest().toString('hex'), '0'.repeat(check.length), 'of nothing');
  });
}

test('CRC-32C of bytes', () => assert.equal(crc32cOf(Buffer.from('123456789')), 0xe3069283));
