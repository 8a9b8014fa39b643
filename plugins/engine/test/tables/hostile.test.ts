import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError, messageOf } from '@srv/kernel';
import { readFields } from '@srv/lib-records';
import { decodeDescriptor, decodeValue } from '../../src/tables/format/index.js';
import { exercise, randomFrom, readMutants, seed } from './damaged-tables.js';
import { writeAll } from './table-writing.js';

describe('hostile tables', () => {
  it(`mutations end in a typed error that names the file, or in records (SRV_TEST_SEED=${seed})`, () => {
    readMutants({ count: 50_000 });
  });

  it('re-checksummed blocks of random bytes are refused without a crash', () => {
    const random = randomFrom(seed + 1);
    for (let i = 0; i < 20_000; i++) {
      const bytes = Buffer.from(
        Array.from({ length: Math.floor(random() * 60) }, () => (random() < 0.3 ? 0xff : Math.floor(random() * 256))),
      );
      for (const decode of [() => decodeValue(bytes), () => decodeDescriptor(bytes), () => [...readFields(bytes, 'fuzz')]]) {
        try {
          decode();
        } catch (error) {
          assert.ok(isSrvError(error, 'corrupt'), messageOf(error));
        }
      }
    }
  });

  const one = writeAll([[Buffer.from('key'), Buffer.from('value')]], {}).bytes;
  for (const [what, bytes, expected] of [
    ['an empty file', Buffer.alloc(0), /table of at least 53 bytes, not 0/],
    ['a cut footer', one.subarray(0, one.length - 4), /byte \d+: expected the table magic/],
    ['a flipped data byte', Buffer.from(one).fill(0x21, 3, 4), /byte 0: expected checksum/],
    ['a foreign format version', Buffer.from(one).fill(5, one.length - 12, one.length - 11), /expected format version 2/],
    ['a foreign checksum type', Buffer.from(one).fill(2, one.length - 53, one.length - 52), /expected checksum type 1/],
  ] as const) {
    it(`${what} is named`, () => {
      assert.throws(
        () => exercise(Buffer.from(bytes), () => 0),
        error => isSrvError(error, 'corrupt') && expected.test(error.message) && error.message.startsWith('mutant: byte'),
      );
    });
  }
});
