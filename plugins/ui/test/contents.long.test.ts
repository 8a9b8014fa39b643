/** Contents of archives and files of arrays, against what Python says of them; in Chromium, too. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { scratchFolder, seededRandom } from '@srv/kernel/testing';
import { memorySource } from '@srv/lib-records/tables/byte-source';
import { needsChromium } from '@srv/test-servers/chromium';
import { findPython, runPython } from '@srv/test-servers/python';
import { readContents } from '../src/model/contents/file-contents.js';
import { setStage } from './support/page.js';
import { testFolder } from './table-reading.js';
import type { ContentsFormat } from '../src/model/contents/contents-format.js';
import type { Stage } from './support/page.js';

const python = findPython('pyarrow');

describe('contents of files', { skip: python === undefined && 'needs a Python (SRV_TEST_PYTHON)' }, () => {
  const folder = scratchFolder();
  const file = (name: string): Buffer => readFileSync(join(folder, name));
  const read = (format: ContentsFormat, bytes: Uint8Array) => readContents(format, memorySource(bytes));
  before(() => runPython(python ?? '', [join(testFolder, 'contents.py'), folder]));

  it('of ORC are its columns, with what the footer says of them, in each compression', async () => {
    for (const [kind, compression] of [
      ['uncompressed', 'none'],
      ['zlib', 'zlib'],
      ['zstd', 'Zstandard'],
    ] as const) {
      const { rows, facts, note } = await read('orc', file(`${kind}.orc`));
      assert.deepEqual(
        rows,
        [
          ['id', 'bigint', 1, '-9223372036854775808', '9223372036854775807'],
          ['price', 'double', 2, '-0.25', '1.5'],
          ['name', 'string', 1, 'a', 'ü'],
          ['exact', 'decimal(20, 2)', 2, '-1.1', '3.03'],
          ['day', 'date', 2, '1969-12-31', '2024-02-29'],
          ['when', 'timestamp', 2, '2020-01-01T00:00:00.000Z', '2024-02-29T12:30:00.000Z'],
          ['tags', 'array', 1, null, null],
          ['tags.element', 'string', null, 'x', 'z'],
          ['at', 'struct', 0, null, null],
          ['at.x', 'int', null, '1', '1'],
          ['at.y', 'boolean', null, null, null],
        ],
        kind,
      );
      assert.deepEqual(facts, [
        ['Rows', '4'],
        ['Stripes', '1'],
        ['Compression', compression],
      ]);
      assert.match(note ?? '', /pyarrow/);
    }
    await assert.rejects(read('orc', file('snappy.orc')), /compressed by Snappy, which is not read here/);
    await assert.rejects(read('orc', Buffer.from('no ORC')), /not an ORC file/);
  });

  it('of damaged ORC files are refused or read, and nothing hangs', async () => {
    const random = seededRandom();
    for (const kind of ['uncompressed', 'zlib', 'zstd'])
      for (let round = 0; round < 200; round++) {
        const bytes = Buffer.from(file(`${kind}.orc`));
        for (let i = 0; i <= random.below(4); i++) bytes[bytes.length - 1 - random.below(Math.min(600, bytes.length))] = random.below(256);
        await read('orc', bytes).catch((error: unknown) => assert.ok(error instanceof Error, `seed ${random.seed}`));
      }
  });

  it('are those that Python wrote', async () => {
    const expected = JSON.parse(file('expected.json').toString()) as Readonly<Record<'zip' | 'tar' | 'npz', readonly unknown[][]>>;
    const zip = await read('zip', file('a.zip'));
    assert.deepEqual(
      zip.rows.map(row => row.slice(0, 3)),
      expected.zip,
    );
    assert.deepEqual(zip.rows[0]?.slice(3), ['deflate', '2024-02-29 12:34:56', 'no']);
    for (const name of ['gnu.tar', 'pax.tar']) {
      const { rows } = await read('tar', file(name));
      assert.deepEqual(
        rows.map(([path, , size]) => [path, size]),
        expected.tar,
        name,
      );
      assert.equal(rows[0]?.[3], '2024-02-29T12:34:56.000Z');
    }
    const { rows, facts } = await read('safetensors', file('a.safetensors'));
    assert.deepEqual(rows, [
      ['weight', 'F32', '(2, 3)', 24],
      ['bias', 'BF16', '()', 2],
    ]);
    assert.deepEqual(facts, [['format', 'pt']]);
    const tiff = await read('tiff', file('a.tif'));
    assert.deepEqual(tiff.rows, [
      [640, 480, 3, 'uint8', 'RGB', 'LZW', null],
      [640, 12, 1, 'uint1', null, 'none', null],
    ]);
    assert.deepEqual(tiff.facts, [
      ['Description', 'a harbour'],
      ['Coordinates', 'WGS 84 / UTM zone 32N'],
      ['Size of a pixel', '10 × 10'],
      ['Origin', '500000, 6100000'],
    ]);
    assert.deepEqual((await read('tiff', file('big.tif'))).rows, [[640, 480, 3, 'float8', 'RGB', 'LZW', '256 × 256']]);
    assert.deepEqual((await read('npy', file('a.npy'))).rows, [['(3, 4)', '<f8', 'C (rows first)', 96]]);
  });

  it('of archives of NumPy have the shapes and types of their arrays, as NumPy reads them', async () => {
    const { npz } = JSON.parse(file('expected.json').toString()) as Readonly<Record<'npz', readonly unknown[][]>>;
    for (const name of ['stored.npz', 'packed.npz']) {
      const { columns, rows } = await read('npz', file(name));
      assert.deepEqual(columns.slice(0, 4), ['name', 'shape', 'type', 'order']);
      assert.deepEqual(
        rows.map(([member, shape, type, order]) => [member, shape, type, order === 'Fortran (columns first)']),
        npz,
        name,
      );
    }
    // Members that are not arrays have no shape.
    assert.deepEqual((await read('npz', file('a.zip'))).rows[0]?.slice(0, 4), ['a/ü.txt', null, null, null]);
  });

  it('of damaged files are an error, never an endless loop', async () => {
    const random = seededRandom();
    for (const [format, name] of [
      ['zip', 'a.zip'],
      ['tar', 'gnu.tar'],
      ['safetensors', 'a.safetensors'],
      ['npy', 'a.npy'],
      ['npz', 'packed.npz'],
      ['tiff', 'a.tif'],
      ['tiff', 'big.tif'],
    ] as const)
      for (let i = 0; i < 300; i++) {
        const bytes = Buffer.from(file(name).subarray(0, random.below(2) === 0 ? undefined : random.below(file(name).length)));
        for (let j = 0; j < 4 && bytes.length > 0; j++) bytes[random.below(bytes.length)] = random.below(256);
        await read(format, bytes).catch((error: unknown) => assert.ok(error instanceof Error));
      }
  });

  describe('in Chromium', { skip: needsChromium }, () => {
    let stage: Stage;
    before(async () => {
      stage = await setStage();
      await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    });
    after(() => stage?.close());

    it('are listed', async () => {
      for (const [name, text] of [
        ['a.zip', 'a/ü.txt'],
        ['pax.tar', 'a/ü.txt'],
        ['a.safetensors', 'BF16'],
        ['a.npy', '(3, 4)'],
        ['packed.npz', '(10, 28, 28)'],
        ['a.tif', 'LZW'],
      ] as const) {
        await stage.client.uploadObject({ repository: 'lakes', branch: 'main', path: name, body: file(name) });
        await stage.open(`repositories/lakes/object?ref=main&path=${name}`);
        await stage.page.getByRole('cell', { name: text }).waitFor();
        assert.equal(await stage.page.title(), `${name} · lakes · srv`);
        await stage.check(`contents-${name}`);
      }
    });

    it('of folders that differ are counted as objects', async () => {
      const at = { repository: 'lakes' };
      await stage.client.commit({ ...at, branch: 'main', body: { message: 'first' } });
      await stage.client.createBranch({ ...at, body: { name: 'next', source: 'main' } });
      for (let i = 0; i < 30; i++) await stage.client.uploadObject({ ...at, branch: 'next', path: `many/${i}`, body: 'x'.repeat(1024) });
      await stage.client.uploadObject({ ...at, branch: 'next', path: 'a.npy', body: 'changed' });
      await stage.client.deleteObject({ ...at, branch: 'next', path: 'a.zip' });
      await stage.client.commit({ ...at, branch: 'next', body: { message: 'second' } });
      await stage.open('repositories/lakes/compare?ref=main&compare=next');
      for (const text of ['32 changes', '30 added, 30 KiB', '1 changed', '1 removed'])
        await stage.page.getByText(text, { exact: true }).waitFor();
      await stage.check('change-totals');
    });
  });
});
