import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, crc32c, crc32cOf } from '../../src/checksums/crc32.js';
import { crc64nvme } from '../../src/checksums/crc64.js';
import { startHash } from '../../src/checksums/hash.js';
import { xxhash128, xxhash3, xxhash64 } from '../../src/checksums/xxhash.js';
import type { RunningDigest } from '../../src/checksums/running-digest.js';

/** The check values of the catalogue of parametrised CRCs: of the text 123456789. */
const kinds: readonly (readonly [name: string, start: () => RunningDigest, check: string])[] = [
  ['CRC-32', crc32, 'cbf43926'],
  ['CRC-32C', crc32c, 'e3069283'],
  ['CRC-64/NVME', crc64nvme, 'ae8b14860a799888'],
];

/** Of the texts "" and "abc", as the reference implementation prints them. */
const hashes: readonly (readonly [name: string, start: () => RunningDigest, ofNothing: string, ofAbc: string])[] = [
  ['XXH64', xxhash64, 'ef46db3751d8e999', '44bc2cf5ad770999'],
  ['XXH3, 64 bits', xxhash3, '2d06800538d394c2', '78af5f94892f3950'],
  ['XXH3, 128 bits', xxhash128, '99aa06d3014798d86001c324468d497f', '06b05ab6733a618578af5f94892f3950'],
  [
    'SHA-512',
    () => startHash('sha512'),
    'cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e',
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
  ],
];

for (const [name, start, ofNothing, ofAbc] of hashes) {
  test(`${name} of known texts, in one piece, in several, and beside another digest`, () => {
    assert.equal(start().digest().toString('hex'), ofNothing);
    const [whole, pieces] = [start(), start()];
    whole.update(Buffer.from('abc'));
    for (const piece of ['a', '', 'bc']) {
      pieces.update(Buffer.from(piece));
      start().update(Buffer.from('other'));
    }
    assert.deepEqual([whole.digest().toString('hex'), pieces.digest().toString('hex')], [ofAbc, ofAbc]);
    // Longer than what the algorithm takes at once.
    const long = Buffer.from(Array.from({ length: 10_000 }, (_, i) => i % 251));
    const [one, many] = [start(), start()];
    one.update(long);
    for (let at = 0; at < long.length; at += 777) many.update(long.subarray(at, at + 777));
    assert.deepEqual(many.digest(), one.digest());
  });
}

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
