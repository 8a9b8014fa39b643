/** Pushes to other catalogs and pulls from them: another server of this kind, and a stand-in for Glue. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createClient } from '@srv/lib-api/client';
import { faceKey, sendRaw } from '@srv/lib-api/testing';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { startGlue } from '@srv/test-servers/glue';
import { icebergPull, icebergPush } from '../src/cli/remotes.js';
import icebergOperations from '../src/operations.js';
import { decodeRemotes } from '../src/remote-list.js';
import { addUser, namespacePath, schema, startCatalog } from './support/server.js';
import { TableData } from './support/table-data.js';
import type { GlueServer } from '@srv/test-servers/glue';
import type { CatalogServer } from './support/server.js';

const credential = `${faceKey.accessKeyId}:${faceKey.secretAccessKey}`;
let [server, other]: CatalogServer[] = [];
let glue: GlueServer;
let client: ReturnType<typeof createClient>;
let data: TableData;
let there: TableData;

before(async () => {
  [other, glue] = await Promise.all([startCatalog(), startGlue()]);
  assert.ok(other);
  const section = { region: 'eu-west-1', access_key_id: glue.accessKeyId, secret_access_key: 'glue-secret', endpoint: glue.url };
  const remotes = [
    {
      id: 'partner',
      type: 'rest',
      rest: {
        uri: `${other.url}/iceberg/relative_to/lake.main/api`,
        credential,
        oauth_server_uri: `${other.url}/iceberg/api/v1/oauth/tokens`,
      },
    },
    { id: 'whole', type: 'rest', rest: { uri: `${other.url}/iceberg/api`, credential } },
    { id: 'wrong', type: 'rest', rest: { uri: `${other.url}/iceberg/api`, credential: `${faceKey.accessKeyId}:wrong-secret` } },
    { id: 'gone', type: 'rest', rest: { uri: 'http://127.0.0.1:1' } },
    { id: 'glue', type: 'glue', glue: section },
  ];
  server = await startCatalog({ 'iceberg_catalog.remotes': remotes });
  client = createClient({ operations: icebergOperations, endpointUrl: server.url, ...faceKey, retries: { enabled: false } });
  data = new TableData(server);
  there = new TableData(other);
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
  await server.call('POST', `${namespacePath('lake', 'main', 'sales')}/tables`, { body: { name: 'books', schema } });
  await append('1');
});
after(async () => {
  client.close();
  await Promise.all([server?.stop(), other?.stop(), glue.close()]);
});

async function append(name: string): Promise<void> {
  const { location } = (await data.load(books)).metadata;
  await data.append(books, [`${location}/data/${name}.parquet`]);
  // The other server has a copy of the storage.
  const folder = (home: string): string => join(home, 'block', 'lake', 'tables');
  await cp(folder(server?.home ?? ''), folder(other?.home ?? ''), { recursive: true });
}

const books = { ref: 'main', name: 'books' };
const table = 'srv://lake/main/sales.books';

async function run(name: string, texts: readonly string[], options: Readonly<Record<string, boolean>> = {}): Promise<string> {
  return (await runCommand([icebergPush, icebergPull], fakeContext({}, { client: async () => client }), name, texts, options)).text;
}

test('a table is pushed to another server, and again only by force', async () => {
  await assert.rejects(
    run('iceberg push', [table, 'partner', 'sales.books']),
    /catalog partner answers with status 404: Namespace does not exist/,
  );
  assert.equal(
    await run('iceberg push', [table, 'partner', 'sales.books'], { 'create-namespace': true }),
    'Pushed sales.books to sales.books in catalog partner',
  );
  assert.equal((await there.load(books)).location, (await data.load(books)).location);
  await append('2');
  await assert.rejects(
    run('iceberg push', [table, 'partner', 'sales.books']),
    /catalog partner answers with status 409: Table already exists/,
  );
  await run('iceberg push', [table, 'whole', 'lake.main.sales.books'], { force: true });
  assert.deepEqual(await there.filesAt(books), await data.filesAt(books));
});

test('a table is pulled from another server', async () => {
  const pull = ['srv://lake/dev/inner.sales.copy', 'whole', 'lake.main.sales.books'];
  await assert.rejects(run('iceberg pull', pull), /Namespace does not exist/);
  assert.equal(
    await run('iceberg pull', pull, { 'create-namespace': true }),
    'Pulled lake.main.sales.books of catalog whole to inner.sales.copy',
  );
  const { body } = (await server?.call('GET', `${namespacePath('lake', 'dev', 'inner', 'sales')}/tables/copy`)) ?? {};
  assert.equal((JSON.parse(body ?? '') as { 'metadata-location': string })['metadata-location'], (await there.load(books)).location);
  await assert.rejects(run('iceberg pull', pull), /Table already exists/);
  await assert.rejects(run('iceberg pull', [table, 'whole', 'lake.main.sales.none']), /status 404: Table does not exist/);
});

test('a table is pushed to Glue, replaced there, and pulled back', async () => {
  await run('iceberg push', [table, 'glue', 'sales.books'], { 'create-namespace': true });
  const { location } = await data.load(books);
  const { Parameters, StorageDescriptor } = glue.table('sales', 'books') ?? assert.fail();
  assert.deepEqual(Parameters, { table_type: 'ICEBERG', metadata_location: location });
  assert.deepEqual((StorageDescriptor as { Columns: unknown }).Columns, [
    { Name: 'id', Type: 'bigint' },
    { Name: 'tags', Type: 'array<string>' },
  ]);
  await assert.rejects(run('iceberg push', [table, 'glue', 'sales.books']), /catalog glue \(Glue\): /);
  await append('3');
  await run('iceberg push', [table, 'glue', 'sales.books'], { force: true });
  const next = (await data.load(books)).location;
  assert.deepEqual(glue.table('sales', 'books')?.['Parameters'], {
    table_type: 'ICEBERG',
    metadata_location: next,
    previous_metadata_location: location,
  });
  await run('iceberg pull', ['srv://lake/dev/glued.books', 'glue', 'sales.books'], { 'create-namespace': true });
  await assert.rejects(run('iceberg push', [table, 'glue', 'a.b.books']), /a\.b is not a database of Glue/);
});

test('catalogs that are unknown, do not answer or refuse the credential are named, and no secret is', async () => {
  await assert.rejects(
    run('iceberg push', [table, 'none', 'sales.books']),
    /has no catalog none; it has partner, whole, wrong, gone, glue/,
  );
  await assert.rejects(run('iceberg push', [table, 'gone', 'sales.books']), /catalog gone does not answer/);
  await assert.rejects(run('iceberg push', [table, 'wrong', 'sales.books']), (error: Error) => {
    assert.match(error.message, /catalog wrong refuses its credential, which iceberg_catalog\.remotes gives \(status 401\)/);
    return !error.message.includes('wrong-secret');
  });
});

test('readers of a table may not use the credentials that the server has', async () => {
  assert.ok(server);
  const rights = [
    { action: ['catalog:ReadTable', 'catalog:CreateTable', 'catalog:UpdateTable'], resource: 'arn:lakefs:catalog:::table/lake/*' },
  ];
  const token = await addUser(server, 'reader', rights);
  const here = { repository_id: 'lake', reference_id: 'main', namespace: ['sales'], table: 'books' };
  const remote = { namespace: ['sales'], table: 'books' };
  for (const [way, body] of [
    ['push', { source: here, destination: remote }],
    ['pull', { source: remote, destination: here }],
  ] as const) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    assert.equal((await sendRaw(server.url, `/api/v1/iceberg/remotes/partner/${way}`, sent)).status, 401);
  }
});

test('the list of catalogs is checked, and its secrets are not shown', () => {
  const rest = { uri: 'http://a', credential: 'a:b' };
  assert.equal(decodeRemotes(JSON.stringify([{ id: 'a', type: 'rest', rest }])).length, 1);
  for (const [list, reason] of [
    ['{', /a JSON list of catalogs/],
    ['{}', /a list of catalogs/],
    [[{ id: 'a b', type: 'rest', rest }], /an id of up to 64/],
    [[{ id: 'a', type: 'hive' }], /rest or glue as type of catalog a/],
    [[{ id: 'a', type: 'rest', rest: { ...rest, uri: 'ftp://a' } }], /addresses that begin with http/],
    [
      [{ id: 'a', type: 'rest', rest: { ...rest, uri: 'https://u:hush@a' } }],
      /^Error: addresses that begin with http:\/\/ or https:\/\/, without user and password, as uri and oauth_server_uri of catalog a$/,
    ],
    [[{ id: 'a', type: 'rest', rest: { ...rest, oauth_server_uri: 'https://u:hush@a' } }], /^Error: addresses that begin [^@]*$/],
    [[{ id: 'a', type: 'glue', glue: { region: 'x', endpoint: 'https://u:hush@a' } }], /^Error: an address that begins [^@]*$/],
    [[{ id: 'a', type: 'rest', rest: { ...rest, credential: 'hush' } }], /^Error: <client id>:<client secret> as credential of catalog a$/],
    [[{ id: 'a', type: 'rest', rest: { ...rest, password: 'x' } }], /not "password"/],
    [[{ id: 'a', type: 'glue', glue: { access_key_id: 'x' } }], /a region for catalog a/],
    [
      [
        { id: 'a', type: 'rest', rest },
        { id: 'a', type: 'rest', rest },
      ],
      /"a" is there twice/,
    ],
  ] as const)
    assert.throws(() => decodeRemotes(list), reason);
});
