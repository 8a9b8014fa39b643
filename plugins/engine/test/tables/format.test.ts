import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { ProtoWriter, readFields, readMapEntry } from '@srv/lib-records';
import { crc32cOf } from '@srv/lib-stores/crc32';
import { compressSync } from 'snappy';
import { pack, unpackSnappy } from '../../src/tables/format/compression.js';
import {
  IdentityHash,
  decodeValue,
  encodeStaged,
  encodeValue,
  fnv1a64,
  fnv1a64Mod,
  mask,
  recordOfStaged,
  separator,
  successor,
} from '../../src/tables/format/index.js';
import { vectors } from './vectors.js';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

describe('format vectors', () => {
  it('values are framed with zigzag lengths', () => {
    for (const { identity_hex, data_hex, encoded_hex } of vectors.values) {
      const value = { identity: hex(identity_hex), data: hex(data_hex) };
      assert.equal(encodeValue(value).toString('hex'), encoded_hex);
      assert.deepEqual(decodeValue(hex(encoded_hex)), value);
    }
  });

  it('staged rows become records, whatever the lengths of their parts', () => {
    const lengths = [1, 31, 32, 63, 64, 127, 128, 200, 8191, 8192, 16_383, 16_384, 70_000];
    for (const keyLength of [0, 1, 127, 128, 300])
      for (const identityLength of lengths)
        for (const dataLength of [0, ...lengths]) {
          const value = { identity: randomBytes(identityLength), data: randomBytes(dataLength) };
          const row = encodeStaged(randomBytes(keyLength), value);
          assert.ok(recordOfStaged(row)?.equals(encodeValue(value)), `key ${keyLength}, identity ${identityLength}, data ${dataLength}`);
        }
    const [key, identity, data] = [Buffer.from('key'), Buffer.from('identity'), Buffer.from('data')];
    const record = encodeValue({ identity, data });
    const rows = {
      reversed: new ProtoWriter().bytes(3, data).bytes(2, identity).bytes(1, key),
      'with a field of a newer release': new ProtoWriter().bytes(1, key).bytes(2, identity).bytes(3, data).int(9, 7),
      'with a field between': new ProtoWriter().bytes(1, key).bytes(2, identity).int(9, 7).bytes(3, data),
      'with a part twice': new ProtoWriter().bytes(1, key).bytes(2, data).bytes(2, identity).bytes(3, data),
    };
    for (const [name, writer] of Object.entries(rows)) assert.ok(recordOfStaged(writer.finish())?.equals(record), name);
    assert.equal(recordOfStaged(encodeStaged(key, undefined)), undefined);
    assert.equal(recordOfStaged(new ProtoWriter().bytes(1, key).bytes(2, Buffer.alloc(0), true).bytes(3, data).finish()), undefined);
    const row = encodeStaged(key, { identity, data });
    for (let length = key.length + 3; length < row.length; length++) {
      const cut = (): unknown => recordOfStaged(Buffer.from(row.subarray(0, length)));
      // A row that ends with its identity is whole.
      if (length === row.length - data.length - 2) assert.ok(cut());
      else if (length > key.length + 2) assert.throws(cut, /staged entry/);
    }
  });

  it('Snappy output equals the reference encoder', () => {
    for (const { input_hex, output_hex } of vectors.snappy) {
      assert.equal(compressSync(hex(input_hex)).toString('hex'), output_hex);
      assert.equal(unpackSnappy(hex(output_hex))?.toString('hex'), input_hex);
    }
  });

  it('a block that saves less than an eighth stays as it is', () => {
    assert.equal(pack(Buffer.from('0123456789abcdef')).type, 0);
    assert.equal(pack(Buffer.alloc(1000, 'a')).type, 1);
  });

  it('separators and successors', () => {
    for (const [a, b, expected] of vectors.separator)
      assert.equal(separator(hex(a), hex(b)).toString('hex'), expected, `separator ${a} ${b}`);
    for (const [a, expected] of vectors.successor) assert.equal(successor(hex(a)).toString('hex'), expected, `successor ${a}`);
  });

  it('checksums', () => {
    for (const { data_hex, crc32c, masked } of vectors.crc32c) {
      assert.equal(crc32cOf(hex(data_hex)).toString(16).padStart(8, '0'), crc32c);
      assert.equal(
        mask(crc32cOf(hex(data_hex)))
          .toString(16)
          .padStart(8, '0'),
        masked,
      );
    }
  });

  it('maps are written in the byte order of their keys, whatever order they have', () => {
    const keys = ['', 'B', 'a', 'aa', 'b', 'z', 'é', '\uffee', '\u{1f600}'];
    const written = (names: readonly string[]): Buffer =>
      new ProtoWriter().map(5, Object.fromEntries(names.map(name => [name, `value of ${name}`]))).finish();
    const expected = written(keys);
    assert.deepEqual(written([...keys].reverse()), expected);
    assert.deepEqual(written([...keys].sort()), expected);
    const found = [...readFields(expected, 'test')].map(({ bytes }) => readMapEntry(Buffer.from(bytes), 'test')[0]);
    assert.deepEqual(found, keys);
    assert.deepEqual(
      [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      keys,
    );
  });

  it('FNV-1a and its remainder', () => {
    for (const { key, hash, mod_50000 } of vectors.fnv1a64) {
      assert.equal(fnv1a64(Buffer.from(key)).toString(), hash);
      assert.equal(fnv1a64Mod(Buffer.from(key), 50_000), mod_50000);
    }
  });

  it('identities of commits and entries', () => {
    for (const { what, input, id } of vectors.ident) {
      const found = what === 'commit id' ? commitId(input) : what.startsWith('entry') ? entryIdentity(input) : undefined;
      if (found !== undefined) assert.equal(found, id, what);
    }
  });
});

function commitId(input: Record<string, unknown>): string {
  return new IdentityHash()
    .string('commit:v1')
    .string(String(input['committer']))
    .string(String(input['message']))
    .string(String(input['metarange_id']))
    .int64(Number(input['creation_unix_seconds']))
    .map(input['metadata'] as Record<string, string>)
    .nested(new IdentityHash().strings(input['parents'] as string[]).digest())
    .digest()
    .toString('hex');
}

function entryIdentity(input: Record<string, unknown>): string {
  const hash = new IdentityHash()
    .int64(Number(input['size']))
    .string(String(input['e_tag']))
    .map((input['metadata'] ?? {}) as Record<string, string>);
  if (input['content_type']) hash.string(String(input['content_type']));
  return hash.digest().toString('hex');
}
