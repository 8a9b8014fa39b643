/** Clients without keys: each of their requests for files of a table is signed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser, logIn, namespacePath, schema, startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
let token: string;
const sales = namespacePath('lake', 'main', 'sales');
const asksToSign = { 'x-iceberg-access-delegation': 'remote-signing' };

before(async () => {
  server = await startCatalog();
  token = await logIn(server);
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
  for (const name of ['books', 'other']) await server.call('POST', `${sales}/tables`, { body: { name, schema } });
});
after(() => server.stop());

async function tableOf(name: string, asker = token) {
  const { body } = await server.call('GET', `${sales}/tables/${name}`, { token: asker, headers: asksToSign });
  const { config, metadata } = JSON.parse(body) as { config: Record<string, string>; metadata: { location: string } };
  return { config, folder: `${server.url}/${metadata.location.slice('s3://'.length)}/` };
}

async function sign(
  path: string,
  request: { readonly method?: string; readonly uri: unknown; readonly headers?: unknown; readonly region?: string },
  asker = token,
) {
  const { status, body } = await server.call('POST', path, {
    token: asker,
    body: { region: 'us-east-1', method: 'GET', headers: {}, ...request },
  });
  return { status, answer: JSON.parse(body) as { uri: string; headers: Record<string, string[]>; error: { message: string } } };
}

async function send(path: string, method: string, uri: string, body?: string, asker = token): Promise<Response> {
  const { status, answer } = await sign(path, { method, uri, headers: { 'X-Amz-Meta-Note': ['a  b'], 'user-agent': ['test'] } }, asker);
  assert.equal(status, 200, JSON.stringify(answer));
  const added = Object.entries(answer.headers).map(([name, values]) => [name, values.join(', ')] as const);
  return fetch(answer.uri, {
    method,
    headers: { 'x-amz-meta-note': 'a  b', ...Object.fromEntries(added) },
    ...(body === undefined ? {} : { body }),
  });
}

test('a client that asks for signing gets no key, and the address to sign at', async () => {
  const { config } = await tableOf('books');
  assert.equal(config['s3.remote-signing-enabled'], 'true');
  assert.equal(config['s3.access-key-id'], undefined);
  assert.equal(`${config['s3.signer.uri']}/${config['s3.signer.endpoint']}`, `${server.url}/iceberg/api/v1/srv${sales}/tables/books/sign`);
  const { body } = await server.call('GET', `${sales}/tables/books`, {
    token,
    headers: { 'x-iceberg-access-delegation': 'vended-credentials,remote-signing' },
  });
  const keys = (JSON.parse(body) as { config: Record<string, string> }).config;
  assert.equal(keys['s3.remote-signing-enabled'], undefined);
  assert.ok(keys['s3.access-key-id']);
});

test('signed requests write, read and list the files of the table', async () => {
  const { folder } = await tableOf('books');
  const path = `${sales}/tables/books/sign`;
  assert.equal((await send(path, 'PUT', `${folder}data/a%20b.parquet`, 'rows')).status, 200);
  const read = await send(path, 'GET', `${folder}data/a%20b.parquet`);
  assert.deepEqual([read.status, await read.text()], [200, 'rows']);
  const prefix = encodeURIComponent(new URL(folder).pathname.slice('/lake/'.length));
  const listed = await send(path, 'GET', `${server.url}/lake?list-type=2&prefix=${prefix}data%2F`);
  assert.match(await listed.text(), /<KeyCount>1<\/KeyCount>/);
  assert.equal((await send(path, 'GET', `${server.url}/lake?list-type=2&prefix=main%2F`)).status, 403);
});

test('requests for other files, and others than of S3, are not signed', async () => {
  const other = (await tableOf('other')).folder;
  const { folder } = await tableOf('books');
  const path = `${sales}/tables/books/sign`;
  for (const uri of [
    `${other}data/x`,
    `${server.url}/lake/main/plain`,
    `${folder}../x`,
    `${folder}%2e%2E/x`,
    `${server.url}/elsewhere/x`,
  ]) {
    const { status, answer } = await sign(path, { uri });
    assert.equal(status, 403, uri);
    assert.match(answer.error.message, /is not a file of the table, which are below s3:\/\/lake\/\.tables\/sales\/books-/);
  }
  for (const [request, reason] of [
    [{ uri: 'file:///etc/passwd' }, /uri must be an address/],
    [{ uri: 7 }, /uri must be an address/],
    [{ uri: folder, method: 'PATCH' }, /only requests of GET, HEAD/],
    [{ uri: folder, region: 'a\nb' }, /region must be a name/],
    [{ uri: folder, headers: { a: 'b' } }, /headers must be an object of lists/],
  ] as const) {
    const { status, answer } = await sign(path, request);
    assert.equal(status, 400);
    assert.match(answer.error.message, reason);
  }
  assert.equal((await sign(`${sales}/tables/none/sign`, { uri: folder })).status, 404);
});

test('the reader of one table gets requests signed that read it', async () => {
  const reader = await addUser(server, 'reader', [
    { action: ['catalog:ReadTable'], resource: 'arn:lakefs:catalog:::table/lake/sales/books' },
  ]);
  const { folder } = await tableOf('books', reader);
  const path = `${sales}/tables/books/sign`;
  assert.equal((await send(path, 'GET', `${folder}data/a%20b.parquet`, undefined, reader)).status, 200);
  assert.equal((await send(path, 'PUT', `${folder}data/c.parquet`, 'x', reader)).status, 403);
  assert.equal((await sign(`${sales}/tables/other/sign`, { uri: folder }, reader)).status, 403);
});
