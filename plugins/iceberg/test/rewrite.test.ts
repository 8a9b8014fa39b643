/** Repositories that are copies of others, and tables that were copied from elsewhere: their addresses are rewritten. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createClient } from '@srv/lib-api/client';
import { faceKey } from '@srv/lib-api/testing';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { icebergRegister } from '../src/cli/register.js';
import { icebergRewrite } from '../src/cli/rewrite.js';
import icebergOperations from '../src/operations.js';
import { encodedLong, framed, openAvro, writeAvro } from '../src/server/avro/file.js';
import { parseExact, writeExact } from '../src/server/exact-json.js';
import { mapManifestPaths } from '../src/server/rewrite/manifest-paths.js';
import { namespacePath, schema, startCatalog } from './support/server.js';
import { TableData } from './support/table-data.js';
import { ageless, collect } from './support/table-model.js';
import type { JsonObject } from '../src/server/exact-json.js';
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
  await copyRepository();
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

/** As an operator does: refs are dumped, the storage namespace is copied, refs are restored. */
async function copyRepository(): Promise<void> {
  const dump = await server.engine.dumpRefs('lake');
  await cp(join(server.home, 'block', 'lake'), join(server.home, 'block', 'copy'), { recursive: true });
  await server.engine.createRepository({ id: 'copy', storageNamespace: 'local://copy', bare: true });
  await server.engine.restoreRefs('copy', dump);
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
  assert.match(await run('iceberg rewrite', ['srv://copy/main']), /^No table has addresses of another repository/);
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
  assert.equal((await data.load(arrived)).metadata['table-uuid'], (parseExact(text) as JsonObject)['table-uuid']);
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

test('manifests of deletions by position are refused, vectors are rewritten', async () => {
  const fields = [
    { name: 'content', type: 'int', 'field-id': 134 },
    { name: 'file_path', type: 'string', 'field-id': 100 },
    { name: 'file_format', type: 'string', 'field-id': 101 },
    { name: 'referenced_data_file', type: ['null', 'string'], 'field-id': 143 },
  ];
  const file = { name: 'data_file', 'field-id': 2, type: { type: 'record', name: 'r2', fields } };
  const schemaText = JSON.stringify({
    type: 'record',
    name: 'manifest_entry',
    fields: [{ name: 'status', type: 'int', 'field-id': 0 }, file],
  });
  const manifestOf = (format: string): Promise<Buffer> => {
    const texts = ['s3://a/1.deletes', format].map(text => framed(Buffer.from(text)));
    const entry = Buffer.concat([encodedLong(1), encodedLong(1), ...texts, encodedLong(1), framed(Buffer.from('s3://a/1.parquet'))]);
    return writeAvro(new Map([['avro.schema', Buffer.from(schemaText)]]), Buffer.alloc(16), [entry]);
  };
  const map = (address: string): string => address.replace('s3://a/', 's3://other/');
  await assert.rejects(
    mapManifestPaths(await manifestOf('PARQUET'), Buffer.alloc(16), map),
    /s3:\/\/a\/1\.deletes deletes rows by position, and names data files by their addresses; rewrite the data files/,
  );
  const { schema: read, each } = openAvro(await mapManifestPaths(await manifestOf('PUFFIN'), Buffer.alloc(16), map));
  const found: unknown[] = [];
  await each(cursor => found.push(cursor.fields(read).get(2)));
  assert.deepEqual([...(found[0] as Map<number, unknown>).values()], [1n, 's3://other/1.deletes', 'PUFFIN', 's3://other/1.parquet']);
});
