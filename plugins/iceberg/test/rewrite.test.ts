/** Repositories that are copies of others, and tables that were copied from elsewhere: their addresses are rewritten. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createClient } from '@srv/lib-api/client';
import { faceKey } from '@srv/lib-api/testing';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { memorySource } from '@srv/lib-records/tables/byte-source';
import { openParquet } from '@srv/lib-records/tables/parquet-file';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { icebergRegister } from '../src/cli/register.js';
import { icebergRewrite } from '../src/cli/rewrite.js';
import icebergOperations from '../src/operations.js';
import { encodedLong, framed, openAvro, writeAvro } from '../src/server/avro/file.js';
import { parseExact, writeExact } from '../src/server/exact-json.js';
import { catalogPrefix } from '../src/server/names.js';
import { mapManifestPaths } from '../src/server/rewrite/manifest-paths.js';
import { mapDeletes } from '../src/server/rewrite/position-deletes.js';
import { movedAddress } from '../src/server/rewrite/rewrite-addresses.js';
import { copyRepository } from './support/copy-repository.js';
import { namespacePath, schema, startCatalog } from './support/server.js';
import { TableData } from './support/table-data.js';
import { ageless, collect } from './support/table-model.js';
import type { JsonObject } from '../src/server/exact-json.js';
import type { ManifestMoves } from '../src/server/rewrite/manifest-paths.js';
import type { CatalogServer } from './support/server.js';

const by = { committer: 'test' };
let server: CatalogServer;
let client: ReturnType<typeof createClient>;
let data: TableData;
let copy: TableData;
let written: string[];

before(async () => {
  server = await startCatalog(ageless, ['gc']);
  client = createClient({ operations: icebergOperations, endpointUrl: server.url, ...faceKey, retries: { enabled: false } });
  data = new TableData(server);
  copy = new TableData(server, 'copy');
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
  await server.call('POST', `${namespacePath('lake', 'main', 'sales')}/tables`, { body: { name: 'books', schema } });
  written = await fill(['1', '2']);
  const representations = [{ type: 'sql', sql: 'select 1', dialect: 'spark' }];
  const view = { 'version-id': 1, 'timestamp-ms': 1, 'schema-id': 0, summary: {}, 'default-namespace': ['sales'], representations };
  const made = await server.call('POST', `${namespacePath('lake', 'main', 'sales')}/views`, {
    body: { name: 'shown', schema, 'view-version': view, properties: {} },
  });
  assert.equal(made.status, 200, made.body);
  await server.engine.commit('lake', 'main', { ...by, message: 'tables' });
  await server.engine.createBranch('lake', 'work', 'main');
  await copyRepository(server);
});
after(async () => {
  client.close();
  await server.stop();
});

const books = (ref: string) => ({ ref, name: 'books' });

async function fill(names: readonly string[]): Promise<string[]> {
  const { location } = (await data.load(books('main'))).metadata;
  const files = names.map(name => `${location}/data/${name}.parquet`);
  for (const file of files) {
    await data.write(file, Buffer.from('rows'));
    await data.append(books('main'), [file]);
  }
  return files;
}

async function run(name: string, texts: readonly string[], options: Readonly<Record<string, unknown>> = {}) {
  const { text } = await runCommand(
    [icebergRewrite, icebergRegister],
    fakeContext({}, { client: async () => client }),
    name,
    texts,
    options as never,
  );
  return text.replaceAll(/[ \t]+/g, ' ');
}

test('a table of a copy is refused with what to do', async () => {
  const { status, body } = await server.call('GET', `${namespacePath('copy', 'main', 'sales')}/tables/books`);
  assert.equal(status, 400);
  assert.match(body, /s3:\/\/lake\/\S+ is an address in another repository; .*cli iceberg rewrite srv:\/\/copy\/<branch>/);
});

test('garbage collection keeps the files of a copy before its tables are rewritten', async () => {
  const { phase, error, other_files: removed } = await collect(server, 'copy');
  // The metadata files that the appends replaced are still named by the logs.
  assert.deepEqual([phase, error, removed], ['done', undefined, 0]);
});

test('after a rewrite the tables and views of a copy have its addresses, the same on all branches', async () => {
  assert.match(await run('iceberg rewrite', ['srv://copy/main'], { 'dry-run': true }), /table sales\.books would be rewritten/);
  const text = await run('iceberg rewrite', ['srv://copy/main']);
  assert.match(text, /table sales\.books rewritten/);
  assert.match(text, /view sales\.shown rewritten/);
  assert.match(await run('iceberg rewrite', ['srv://copy/main']), /^All tables have the right addresses/);
  await run('iceberg rewrite', ['srv://copy/work']);
  const [main, work] = await Promise.all(['main', 'work'].map(async ref => copy.load(books(ref))));
  assert.equal(main?.location, work?.location);
  assert.ok(!writeExact(main?.metadata).includes('lake'));
  const files = written.map(file => file.replace('s3://lake/', 's3://copy/'));
  assert.deepEqual(await copy.filesAt(books('main')), files);
  const [first] = main?.metadata.snapshots ?? [];
  assert.deepEqual(await copy.filesAt(books('main'), BigInt(first?.['snapshot-id'] ?? 0)), files.slice(0, 1));
  const { status, body } = await server.call('GET', `${namespacePath('copy', 'main', 'sales')}/views/shown`);
  assert.deepEqual([status, body.includes('s3://lake/')], [200, false]);
  assert.deepEqual(await data.filesAt(books('main')), written);
});

test('tables on a folder of the machine have no other addresses', async () => {
  await assert.rejects(
    run('iceberg rewrite', ['srv://lake/main'], { locations: 'store' }),
    /the store of lake has no addresses that engines know/,
  );
  assert.match(await run('iceberg rewrite', ['srv://lake/main'], { locations: 'gateway' }), /^All tables have the right addresses/);
});

test('rewritten branches merge what they changed since, and collections keep it', async () => {
  for (const ref of ['main', 'work']) await server.engine.commit('copy', ref, { ...by, message: 'rewritten' });
  const { location } = (await copy.load(books('main'))).metadata;
  for (const ref of ['main', 'work']) {
    await copy.write(`${location}/data/${ref}.parquet`, Buffer.from('rows'));
    await copy.append(books(ref), [`${location}/data/${ref}.parquet`]);
    await server.engine.commit('copy', ref, { ...by, message: 'more' });
  }
  await server.engine.merge('copy', 'work', 'main', by);
  const expected = [
    ...written.map(file => file.replace('s3://lake/', 's3://copy/')),
    `${location}/data/main.parquet`,
    `${location}/data/work.parquet`,
  ];
  assert.deepEqual(await copy.filesAt(books('main')), expected);
  const { phase, error } = await collect(server, 'copy');
  assert.deepEqual([phase, error], ['done', undefined]);
  for (const file of expected) assert.equal(String(await copy.read(file)), 'rows');
});

test('a table that was copied from elsewhere is registered with the addresses of its new place', async () => {
  const { location, metadata } = await data.load(books('main'));
  const folder = metadata.location.slice('s3://lake/.tables/'.length);
  const text = (await data.read(location)).toString('utf8');
  await cp(join(server.home, 'block', 'lake', 'tables', folder), join(server.home, 'block', 'lake', 'tables', 'arrived'), {
    recursive: true,
  });
  const name = location.slice(metadata.location.length);
  await run('iceberg register', ['srv://lake/main/sales.arrived', `s3://lake/.tables/arrived${name}`], { rewrite: true });
  const arrived = { ref: 'main', name: 'arrived' };
  assert.deepEqual(
    await data.filesAt(arrived),
    written.map(file => file.replace(`${folder}/`, 'arrived/')),
  );
  assert.equal((await data.load(arrived)).metadata['table-uuid'], ((await parseExact(text)) as JsonObject)['table-uuid']);
});

test('a metadata file that names another location is registered only with that of its folder', async () => {
  const { location, metadata } = await data.load(books('main'));
  const place = metadata.location;
  const text = (await data.read(location)).toString('utf8');
  const register = (name: string, address: string, rewrite = false) =>
    run('iceberg register', [`srv://lake/main/sales.${name}`, address], { rewrite });
  for (const [name, address, named] of [
    ['elsewhere', 's3://lake/.tables/stolen/metadata/1.metadata.json', place],
    ['slash', `${place}/metadata/00009-slash.metadata.json`, `${place}/`],
  ] as const) {
    await data.write(address, Buffer.from(text.replace(`"location":"${place}"`, `"location":"${named}"`)));
    const reason = new RegExp(`${address} says that its table is at ${named}, .*register it with --rewrite`);
    await assert.rejects(register(name, address), reason);
  }
  await register('slash', `${place}/metadata/00009-slash.metadata.json`, true);
  const slash = { ref: 'main', name: 'slash' };
  assert.equal((await data.load(slash)).metadata.location, place);
  assert.deepEqual(await data.filesAt(slash), written);
});

test('a table with files outside of what was copied is not rewritten, and named', async () => {
  await server.call('POST', `${namespacePath('lake', 'main', 'sales')}/tables`, { body: { name: 'far', schema } });
  await data.append({ ref: 'main', name: 'far' }, ['s3://elsewhere/1.parquet']);
  const { location, metadata } = await data.load({ ref: 'main', name: 'far' });
  const folder = metadata.location.slice('s3://lake/.tables/'.length);
  await cp(join(server.home, 'block', 'lake', 'tables', folder), join(server.home, 'block', 'lake', 'tables', 'far'), { recursive: true });
  const name = location.slice(metadata.location.length);
  await assert.rejects(
    run('iceberg register', ['srv://lake/main/sales.again', `s3://lake/.tables/far${name}`], { rewrite: true }),
    /s3:\/\/elsewhere\/1\.parquet does not begin with s3:\/\/lake\/\S+; copy the file there first/,
  );
});

const idField = (id: number, name: string, type: unknown) => ({ name, type, 'field-id': id });
const boundsField = (id: number, name: string, [key, value]: readonly [number, number]) => {
  const items = { type: 'record', name: `k${key}_v${value}`, fields: [idField(key, 'key', 'int'), idField(value, 'value', 'bytes')] };
  return idField(id, name, ['null', { type: 'array', logicalType: 'map', items }]);
};
const deletesSchema = JSON.stringify({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    idField(0, 'status', 'int'),
    idField(2, 'data_file', {
      type: 'record',
      name: 'r2',
      fields: [
        idField(134, 'content', 'int'),
        idField(100, 'file_path', 'string'),
        idField(101, 'file_format', 'string'),
        idField(104, 'file_size_in_bytes', 'long'),
        boundsField(125, 'lower_bounds', [126, 127]),
        boundsField(128, 'upper_bounds', [129, 130]),
        idField(132, 'split_offsets', ['null', { type: 'array', items: 'long' }]),
        idField(143, 'referenced_data_file', ['null', 'string']),
      ],
    }),
  ],
});
const [pathColumn, positionColumn] = [2_147_483_546, 2_147_483_545];

/** A manifest with one file of deletions. @param status 1: it was added, 2: it was removed. */
function deletesManifest(format: string, status: number): Promise<Buffer> {
  const bound = (column: number, value: Buffer): Buffer => Buffer.concat([encodedLong(column), framed(value)]);
  const bounds = Buffer.concat([
    encodedLong(1),
    encodedLong(2),
    bound(pathColumn, Buffer.from('s3://a/1.parquet')),
    bound(positionColumn, Buffer.alloc(8)),
    encodedLong(0),
  ]);
  const entry = [
    encodedLong(status),
    encodedLong(1),
    ...['s3://a/data/1.deletes', format].map(text => framed(Buffer.from(text))),
    encodedLong(9),
    bounds,
    bounds,
    ...[1, 1, 4, 0].map(encodedLong),
    encodedLong(1),
    framed(Buffer.from('s3://a/1.parquet')),
  ];
  return writeAvro(new Map([['avro.schema', Buffer.from(deletesSchema)]]), Buffer.alloc(16), [Buffer.concat(entry)]);
}

const toOther = (address: string): string => address.replace('s3://a/', 's3://other/');
const bounds = { lower: Buffer.from('s3://other/1.parquet'), upper: Buffer.from('s3://other/2.parquet') };
const asked: unknown[] = [];
const moves: ManifestMoves = {
  address: toOther,
  async deletes(entry) {
    asked.push(entry);
    return { path: 's3://other/data/new.deletes', ...(entry.isRemoved ? {} : { length: 1234, bounds }) };
  },
};

/** Of the only entry: what its file has in each field. */
async function movedFile(manifest: Buffer): Promise<unknown[]> {
  const { schema: read, each } = openAvro(await mapManifestPaths(manifest, Buffer.alloc(16), moves));
  const found: unknown[] = [];
  await each(cursor => found.push(cursor.fields(read).get(2)));
  return [...(found[0] as Map<number, unknown>).values()];
}

test('a manifest has the addresses, length and bounds of the files of deletions that were written again', async () => {
  const position = new Map<number, unknown>([
    [126, BigInt(positionColumn)],
    [127, Buffer.alloc(8)],
  ]);
  const [content, path, format, length, lower, upper, offsets, referenced] = await movedFile(await deletesManifest('PARQUET', 1));
  assert.deepEqual([content, path, format, length, offsets], [1n, 's3://other/data/new.deletes', 'PARQUET', 1234n, null]);
  const path1 = new Map<number, unknown>([
    [126, BigInt(pathColumn)],
    [127, bounds.lower],
  ]);
  assert.deepEqual(lower, [path1, position]);
  assert.deepEqual((upper as ReadonlyMap<number, unknown>[])[0]?.get(130), bounds.upper);
  assert.equal(referenced, 's3://other/1.parquet');

  const removed = await movedFile(await deletesManifest('parquet', 2));
  assert.deepEqual(removed, [1n, 's3://other/data/new.deletes', 'parquet', 9n, null, null, null, 's3://other/1.parquet']);
  const file = { path: 's3://a/data/1.deletes', format: 'parquet' };
  assert.deepEqual(asked.splice(0), [
    { ...file, isRemoved: false },
    { ...file, isRemoved: true },
  ]);
});

test('a manifest of deletion vectors is copied with other addresses', async () => {
  const [content, path, format, length, lower, , offsets, referenced] = await movedFile(await deletesManifest('PUFFIN', 1));
  assert.deepEqual([content, path, format, length, offsets], [1n, 's3://other/data/1.deletes', 'PUFFIN', 9n, [4n]]);
  assert.equal((lower as unknown[]).length, 2);
  assert.equal(referenced, 's3://other/1.parquet');
  assert.deepEqual(asked, []);
});

test('a file of deletions has other addresses in the same rows, and other files are refused with the reason', async () => {
  const rows = Array.from({ length: 120_000 }, (_, i) => ({ path: `s3://a/${i < 70_000 ? 1 : 2}.parquet`, position: BigInt(i) }));
  const columns = [
    { name: 'file_path', data: rows.map(({ path }) => path) },
    { name: 'pos', data: rows.map(({ position }) => position) },
  ];
  const { bytes, bounds: found } = await mapDeletes('s3://a/d', Buffer.from(parquetWriteBuffer({ columnData: columns })), toOther);
  assert.deepEqual(found, bounds);
  const file = await openParquet(memorySource(bytes));
  assert.deepEqual(
    await file.cells(0, rows.length, [0, 1]),
    rows.map(({ path, position }) => [toOther(path), String(position)]),
  );
  const withRows = Buffer.from(parquetWriteBuffer({ columnData: [...columns, { name: 'row', data: rows.map(() => 'x') }] }));
  const start = /^s3:\/\/a\/d deletes rows by position, and /;
  for (const [content, reason] of [
    [withRows, /has a column row, which is not rewritten; rewrite the data files of the table first/],
    [Buffer.from(parquetWriteBuffer({ columnData: columns.slice(0, 1) })), /has no column pos/],
    [Buffer.from('Obj\u0001 of Avro, which is longer'), /cannot be read: /],
  ] as const)
    await assert.rejects(
      mapDeletes('s3://a/d', content, toOther),
      (error: Error) => start.test(error.message) && reason.test(error.message),
    );
  const outside = Buffer.from(parquetWriteBuffer({ columnData: columns }));
  const refuse = (address: string): string => movedAddress(address, { from: 's3://b/', to: 's3://c/' });
  await assert.rejects(mapDeletes('s3://a/d', outside, refuse), /s3:\/\/a\/1\.parquet does not begin with s3:\/\/b\//);
});

test('a rewrite leaves an object alone whose name is badly encoded', async () => {
  await server.engine.createBranch('copy', 'odd', 'main');
  const pointer = JSON.stringify({ 'metadata-location': 's3://lake/.tables/x/metadata/1.metadata.json' });
  await server.engine.putObject('copy', 'odd', `${catalogPrefix}sales/tables/100%`, Buffer.from(pointer));
  assert.match(await run('iceberg rewrite', ['srv://copy/odd']), /^All tables have the right addresses/);
  await server.engine.deleteBranch('copy', 'odd');
});
