/** The shape of the documents, which other programs read and write, too; and the order of their keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rejectsWith, seededRandom } from '@srv/kernel/testing';
import { decode, encode } from '../src/server/base32hex.js';
import { documentOf, entryOf, idOf } from '../src/server/document.js';
import { keysSortedTooLate, textFrom } from '../src/server/key-order.js';
import { bytes } from './stores.js';

test('base32hex as in RFC 4648 section 10', () => {
  const vectors = {
    '': '',
    f: 'CO======',
    fo: 'CPNG====',
    foo: 'CPNMU===',
    foob: 'CPNMUOG=',
    fooba: 'CPNMUOJ1',
    foobar: 'CPNMUOJ1E8======',
  };
  for (const [text, encoded] of Object.entries(vectors)) {
    assert.equal(encode(bytes(text)), encoded);
    assert.deepEqual(decode(encoded), bytes(text));
  }
});

test('any bytes come back', () => {
  const { seed, below } = seededRandom();
  for (let i = 0; i < 300; i++) {
    const some = Buffer.from(Array.from({ length: below(40) }, () => below(256)));
    assert.deepEqual(decode(encode(some)), some, `seed ${seed}`);
  }
});

test('text that is not base32hex is corrupt', () => rejectsWith(async () => decode('cpng===='), 'corrupt', /not base32hex/));

test('a document is what the format says', () => {
  assert.deepEqual(documentOf('foobar', bytes('repos/repo1'), bytes('fo')), {
    partitionKey: 'CPNMUOJ1E8======',
    id: '3VG3OQ1GGPJUT4OO1UTC62RQIVLOH70JLIAR3AEJ658BHG4B0JH0====',
    key: 'E9IN0RRJ5TP6AS3F64======',
    value: 'CPNG====',
  });
  assert.deepEqual(entryOf(documentOf('p', bytes('k'), bytes(''))), { key: bytes('k'), value: bytes('') });
  assert.notEqual(idOf(bytes('a')), idOf(bytes('b')));
});

test('rejects entries that are too large, with their size', async () => {
  await rejectsWith(
    async () => documentOf('p', bytes('k'), Buffer.alloc(1_400_000)),
    'invalid',
    /^entry of 22\d{5} bytes as base32: .* at most 2097152$/,
  );
  await rejectsWith(
    async () => documentOf('p'.repeat(1300), bytes('k'), bytes('')),
    'invalid',
    /^partition of 2080 bytes as base32: .* at most 2048$/,
  );
});

test('the keys whose text is out of place are exactly those that are found', () => {
  const { seed, below, choose } = seededRandom();
  const alphabet = [0, 1, 9, 10, 0x1f, 0x20, 0x27, 0x28, 0x2f, 0x61, 0x7f, 0x80, 0xff];
  for (let round = 0; round < 300; round++) {
    const key = Buffer.from(Array.from({ length: 1 + below(12) }, () => choose(alphabet)));
    const expected = Array.from({ length: key.length - 1 }, (_, i) => key.subarray(0, i + 1)).filter(
      shorter => encode(shorter) > encode(key),
    );
    assert.deepEqual(keysSortedTooLate(key), expected, `seed ${seed}: ${key.toString('hex')}`);
    const other = Buffer.from(Array.from({ length: 1 + below(12) }, () => choose(alphabet)));
    const [smaller, greater] = [key, other].sort(Buffer.compare);
    if (!smaller || !greater || smaller.equals(greater)) continue;
    assert.ok(
      encode(greater) >= textFrom(smaller),
      `seed ${seed}: a scan from ${smaller.toString('hex')} finds ${greater.toString('hex')}`,
    );
    if (!greater.subarray(0, smaller.length).equals(smaller)) {
      assert.ok(encode(smaller) < encode(greater), `seed ${seed}: ${smaller.toString('hex')} before ${greater.toString('hex')}`);
    }
  }
});
