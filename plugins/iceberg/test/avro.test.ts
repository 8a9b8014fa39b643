/** Avro files of engines, and bytes that claim to be some. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { runCount, seededRandom } from '@srv/kernel/testing';
import { AvroError } from '@srv/lib-records/tables/avro/error';
import { parseSchema } from '@srv/lib-records/tables/avro/schema';
import { Cursor } from '../src/server/avro/cursor.js';
import { encodedLong, framed, openAvro, writeAvro } from '../src/server/avro/file.js';
import { eachEntry, rewriteManifest } from '../src/server/manifests/manifest.js';
import { readManifestList, writeManifestList } from '../src/server/manifests/manifest-list.js';
import { unpackedDocument } from '../src/server/storage/packed.js';
import type { ManifestEntry } from '../src/server/manifests/manifest.js';
import type { ManifestFile } from '../src/server/manifests/manifest-list.js';

/** As PyIceberg 0.12 wrote them: a table of two files, partitioned by a column. */
const vector = (name: string): Buffer => readFileSync(new URL(`../../test/vectors/${name}.avro`, import.meta.url));
const sync = Buffer.alloc(16, 7);

async function entriesOf(bytes: Buffer): Promise<ManifestEntry[]> {
  const found: ManifestEntry[] = [];
  await eachEntry(bytes, entry => void found.push(entry));
  return found;
}

test('files of an engine are read', async () => {
  const [manifest, ...others] = await readManifestList(vector('manifest-list'));
  assert.equal(others.length, 0);
  assert.match(manifest?.path ?? '', /^file:\/\/.*-m0\.avro$/);
  const { specId, content, sequence, minSequence, files, rows, partitions } = manifest ?? assert.fail();
  assert.deepEqual(
    { specId, content, sequence, minSequence, files, rows },
    {
      specId: 1,
      content: 'data',
      sequence: 1n,
      minSequence: 1n,
      files: { added: 2n, existing: 0n, deleted: 0n },
      rows: { added: 2n, existing: 0n, deleted: 0n },
    },
  );
  assert.deepEqual(partitions, [{ hasNull: false, hasNan: false, lower: Buffer.from('a'), upper: Buffer.from('b') }]);
  const entries = await entriesOf(vector('manifest'));
  assert.deepEqual(
    entries.map(({ status, snapshotId, sequence: known, rows: count, firstRowId }) => [status, snapshotId, known, count, firstRowId]),
    [
      [1, manifest?.snapshotId, undefined, 1n, undefined],
      [1, manifest?.snapshotId, undefined, 1n, undefined],
    ],
  );
  assert.match(entries[0]?.path ?? '', /\/n=a\/.*\.parquet$/);
});

test('manifest lists are read as they were written', async () => {
  const manifests = await readManifestList(vector('manifest-list'));
  const more: ManifestFile[] = [
    ...manifests,
    ...manifests.map(one => ({ ...one, content: 'deletes' as const, partitions: undefined, sequence: -1n })),
  ];
  const facts = { formatVersion: 2, snapshotId: 2n ** 62n, parentId: undefined, sequence: 2n, firstRowId: undefined };
  assert.deepEqual(await readManifestList(await writeManifestList(more, facts, sync)), more);
  const first = await readManifestList(await writeManifestList(more, { ...facts, formatVersion: 1 }, sync));
  assert.deepEqual(
    first,
    more.map(one => ({ ...one, content: 'data', sequence: 0n, minSequence: 0n })),
  );
  const numbered = more.map((one, i) => ({ ...one, firstRowId: BigInt(i) }));
  assert.deepEqual(await readManifestList(await writeManifestList(numbered, { ...facts, formatVersion: 3 }, sync)), numbered);
});

test('a rewritten manifest differs in what was changed only', async () => {
  const before = await entriesOf(vector('manifest'));
  const change = { status: 0, snapshotId: 5n, sequence: 2n ** 40n, fileSequence: 3n, firstRowId: undefined };
  const { bytes, entries } = await rewriteManifest(vector('manifest'), sync, ({ path }) => (path === before[0]?.path ? undefined : change));
  assert.equal(entries, 1);
  assert.deepEqual(await entriesOf(bytes), [{ ...before[1], ...change }]);
  const [old, made] = [openAvro(vector('manifest')).metadata, openAvro(bytes).metadata];
  for (const name of ['schema', 'partition-spec', 'avro.schema']) assert.deepEqual(made.get(name), old.get(name));
});

test('integers of 64 bits keep all of their digits', () => {
  const { below } = seededRandom();
  const some = Array.from({ length: 1000 }, () => BigInt.asIntN(64, (BigInt(below(2 ** 31)) << BigInt(below(64))) * (below(2) ? 1n : -1n)));
  for (const value of [0n, -1n, 1n, 63n, 64n, -64n, -65n, 2n ** 27n, 2n ** 28n, 2n ** 63n - 1n, -(2n ** 63n), ...some])
    assert.equal(new Cursor(encodedLong(value)).long(), value);
});

const schema = (items: unknown): string =>
  JSON.stringify({ type: 'record', name: 'r', fields: [{ name: 'a', type: items, 'field-id': 500 }] });

/** A file of one block. */
function fileOf(schemaText: string, count: number | bigint, block: Buffer, codec = 'null'): Buffer {
  const header = [encodedLong(2), framed(Buffer.from('avro.schema')), framed(Buffer.from(schemaText)), framed(Buffer.from('avro.codec'))];
  const body = [encodedLong(count), framed(block), sync];
  return Buffer.concat([Buffer.from('Obj\u0001'), ...header, framed(Buffer.from(codec)), encodedLong(0), sync, ...body]);
}

const huge = 2n ** 60n;
const nested = (depth: number): unknown => (depth === 0 ? 'null' : { type: 'array', items: nested(depth - 1) });
/** Each record holds two of the one before: 2^40 values without a byte. */
const doubling = (): unknown => {
  let type: unknown = 'null';
  for (let i = 0; i < 40; i++)
    type = {
      type: 'record',
      name: `n${i}`,
      fields: [
        { name: 'a', type },
        { name: 'b', type: i === 0 ? 'null' : `n${i - 1}` },
      ],
    };
  return type;
};
/** A frame of one block, which Zstandard left as it was. */
function zstdFrame(bytes: Buffer): Buffer {
  const block = Buffer.alloc(3);
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length]), block, bytes]);
}
/** A frame of one block that repeats a byte; it says nothing of its size. */
const zstdBomb = (times: number): Buffer => {
  const block = Buffer.alloc(3);
  block.writeUIntLE(((128 << 10) << 3) | 2, 0, 3);
  const last = Buffer.alloc(3);
  last.writeUIntLE(3, 0, 3);
  const repeated = Array.from({ length: times }, () => Buffer.concat([block, Buffer.from([0])]));
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]), ...repeated, last, Buffer.from([0])]);
};

test('blocks that are compressed with Zstandard are read', async () => {
  const { schema: read, each } = openAvro(fileOf(schema('string'), 1, zstdFrame(framed(Buffer.from('text'))), 'zstandard'));
  const found: unknown[] = [];
  await each(cursor => found.push(cursor.fields(read).get(500)));
  assert.deepEqual(found, ['text']);
});

test('metadata files may be compressed with gzip or Zstandard', async () => {
  const text = Buffer.from('{"format-version":2}');
  for (const packed of [text, gzipSync(text), zstdFrame(text)]) assert.deepEqual(await unpackedDocument(packed, 100), text);
  for (const bomb of [gzipSync(Buffer.alloc(1 << 20)), zstdBomb(100)]) await assert.rejects(unpackedDocument(bomb, 1000));
});

const hostile: readonly (readonly [string, Buffer])[] = [
  ['a list of 2^60 numbers in nine bytes', fileOf(schema({ type: 'array', items: 'long' }), 1, encodedLong(huge))],
  ['a list of 2^60 nothings', fileOf(schema({ type: 'array', items: 'null' }), 1, encodedLong(huge))],
  ['2^60 records', fileOf(schema('long'), huge, encodedLong(1))],
  ['records without bytes', fileOf(schema('null'), 1000, Buffer.alloc(0))],
  ['a negative count', fileOf(schema('long'), -5, encodedLong(1))],
  ['a text longer than the file', fileOf(schema('string'), 1, encodedLong(huge))],
  ['a text of negative length', fileOf(schema('string'), 1, encodedLong(-5))],
  ['a branch that is not there', fileOf(schema(['null', 'long']), 1, encodedLong(7))],
  ['records that double', fileOf(schema(doubling()), 1, Buffer.from([0]))],
  ['a type that holds itself', fileOf('{"type":"record","name":"r","fields":[{"name":"a","type":"r","field-id":1}]}', 1, Buffer.from([0]))],
  ['a schema of 70 levels', fileOf(schema(nested(70)), 1, Buffer.from([0]))],
  ['a schema of brackets', fileOf('['.repeat(100_000), 1, Buffer.from([0]))],
  ['a block that unpacks to 100 MiB', fileOf(schema('bytes'), 1, deflateRawSync(Buffer.alloc(100 << 20)), 'deflate')],
  ['a block of Zstandard that unpacks to 100 MiB', fileOf(schema('bytes'), 1, zstdBomb(800), 'zstandard')],
  ['a block that is not of Zstandard', fileOf(schema('long'), 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0]), 'zstandard')],
  ['a block that is not packed', fileOf(schema('long'), 1, Buffer.from([0xff, 0xff]), 'deflate')],
  ['a codec that is not read', fileOf(schema('long'), 1, Buffer.from([0]), 'lzma')],
  ['a header of 2^60 entries', Buffer.concat([Buffer.from('Obj\u0001'), encodedLong(huge)])],
  ['an integer of eleven bytes', fileOf(schema('long'), 1, Buffer.alloc(11, 0xff))],
  ['nothing', Buffer.alloc(0)],
];

for (const [what, bytes] of hostile)
  test(`refuses ${what}`, async () => {
    await assert.rejects(readManifestList(bytes), AvroError);
    await assert.rejects(entriesOf(bytes), AvroError);
  });

test('damaged files are read or refused with words', async () => {
  const { below, seed } = seededRandom();
  const originals = [vector('manifest'), vector('manifest-list')];
  let refused = 0;
  const rounds = runCount(400, 4000);
  for (let i = 0; i < rounds; i++) {
    const bytes = Buffer.from(originals[i % 2] ?? assert.fail());
    for (let n = 1 + below(4); n > 0; n--) bytes[below(bytes.length)] = below(256);
    try {
      if (i % 2 === 0) await entriesOf(below(2) ? bytes : bytes.subarray(0, below(bytes.length)));
      else await readManifestList(bytes);
    } catch (error) {
      assert.ok(error instanceof AvroError, `seed ${seed}, round ${i}: ${String(error)}`);
      refused++;
    }
  }
  assert.ok(refused > rounds / 10, String(refused));
});

test('a schema may name the types that it has defined', () => {
  const pair = { type: 'record', name: 'pair', fields: [{ name: 'x', type: 'long', 'field-id': 1 }] };
  const read = parseSchema(
    JSON.stringify({
      type: 'record',
      name: 'r',
      fields: [
        { name: 'a', type: pair, 'field-id': 2 },
        { name: 'b', type: 'pair', 'field-id': 3 },
      ],
    }),
  );
  assert.deepEqual(read.fields[1]?.type, read.fields[0]?.type);
});

test('large files are written in several blocks', async () => {
  const records = Array.from({ length: 5000 }, (_, i) => framed(Buffer.from(`${i}`.padEnd(40))));
  const bytes = await writeAvro(new Map([['avro.schema', Buffer.from(schema('string'))]]), sync, records);
  let count = 0;
  const { schema: read, each } = openAvro(bytes);
  await each(cursor => {
    assert.equal(String(cursor.fields(read).get(500)).trim(), String(count++));
  });
  assert.equal(count, 5000);
});
