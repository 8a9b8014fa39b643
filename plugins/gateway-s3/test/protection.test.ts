/** Headers that ask for protection, and for an owner: what is not given is refused, and nothing is stored. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ownerId } from '../src/server/operations/owner.js';
import { presigned } from './support/presigned.js';
import { send } from './support/raw.js';
import { createRepository, startServer, storedFiles } from './support/server.js';
import type { RawAnswer, RawRequest } from './support/raw.js';
import type { TestServer } from './support/server.js';

let server: TestServer;
let files: number;
before(async () => {
  server = await startServer();
  await createRepository(server, 'repo');
  await put('source', {});
  files = storedFiles(server).length;
});
after(() => server.stop());

const put = (name: string, headers: Record<string, string>, body = 'content'): Promise<RawAnswer> =>
  send(server.port, { method: 'PUT', url: `/repo/main/${name}`, headers, body });

const refused: readonly Readonly<Record<string, string>>[] = [
  { 'x-amz-server-side-encryption': 'aws:kms' },
  { 'x-amz-server-side-encryption': 'aws:kms:dsse' },
  { 'x-amz-server-side-encryption-aws-kms-key-id': 'key' },
  { 'x-amz-server-side-encryption-context': 'e30=' },
  { 'x-amz-server-side-encryption-bucket-key-enabled': 'true' },
  { 'x-amz-server-side-encryption-customer-algorithm': 'AES256', 'x-amz-server-side-encryption-customer-key': 'x' },
  { 'x-amz-object-lock-mode': 'GOVERNANCE', 'x-amz-object-lock-retain-until-date': '2100-01-01T00:00:00Z' },
  { 'x-amz-object-lock-legal-hold': 'ON' },
];

for (const headers of refused) {
  test(`refuses ${Object.entries(headers)[0]?.join(': ')}`, async () => {
    const [name = ''] = Object.keys(headers);
    const copy = { ...headers, 'x-amz-copy-source': 'repo/main/source' };
    const answers = [
      await put('protected', headers),
      await send(server.port, { method: 'PUT', url: '/repo/main/protected', headers: copy }),
      await send(server.port, { method: 'POST', url: '/repo/main/protected?uploads', headers, body: '' }),
    ];
    for (const { status, code, body } of answers) {
      assert.deepEqual([status, code], [501, 'NotImplemented']);
      assert.ok(body.includes(name), body);
    }
    assert.equal((await send(server.port, { url: '/repo/main/protected' })).code, 'NoSuchKey');
    assert.equal(storedFiles(server).length, files);
  });
}

test('refuses them in the query of a pre-signed URL, too', async () => {
  for (const headers of refused) {
    const [name = ''] = Object.keys(headers);
    const signed = (query: Readonly<Record<string, string>>, method = 'PUT'): RawRequest =>
      presigned(server.port, { method, path: '/repo/main/protected', query });
    const answers = [
      await send(server.port, { ...signed(headers), body: 'content' }),
      await send(server.port, signed({ ...headers, 'x-amz-copy-source': 'repo/main/source' })),
      await send(server.port, { ...signed({ ...headers, uploads: '' }, 'POST'), body: '' }),
      // As Go's SDK writes them.
      await send(server.port, { ...signed(Object.fromEntries(Object.entries(headers).map(capitalized))), body: 'content' }),
    ];
    for (const { status, code, body } of answers) {
      assert.deepEqual([status, code], [501, 'NotImplemented'], name);
      assert.ok(body.includes(name), body);
    }
  }
  assert.equal((await send(server.port, { url: '/repo/main/protected' })).code, 'NoSuchKey');
  assert.equal(storedFiles(server).length, files);
  const harmless = presigned(server.port, {
    method: 'PUT',
    path: '/repo/main/plain',
    query: { 'x-amz-server-side-encryption': 'AES256' },
  });
  assert.equal((await send(server.port, { ...harmless, body: 'content' })).status, 200);
  await send(server.port, { method: 'DELETE', url: '/repo/main/plain' });
});

function capitalized([name, value]: readonly [string, string]): readonly [string, string] {
  return [name.replace(/(^|-)[a-z]/g, letter => letter.toUpperCase()), value];
}

test('refuses a customer key for the source of a copy', async () => {
  const headers = { 'x-amz-copy-source': 'repo/main/source', 'x-amz-copy-source-server-side-encryption-customer-algorithm': 'AES256' };
  assert.equal((await send(server.port, { method: 'PUT', url: '/repo/main/protected', headers })).code, 'NotImplemented');
});

test('accepts headers that ask for nothing, or for what the block store provides anyway', async () => {
  const harmless: readonly Record<string, string>[] = [
    { 'x-amz-object-lock-legal-hold': 'OFF' },
    { 'x-amz-server-side-encryption': 'AES256' },
    { 'x-amz-server-side-encryption-bucket-key-enabled': 'false' },
    { 'x-amz-tagging': 'a=b' },
    { 'x-amz-grant-read': 'id=somebody' },
  ];
  for (const headers of harmless) assert.equal((await put('plain', headers)).status, 200, JSON.stringify(headers));
});

test('checks who is expected to own the bucket', async () => {
  const owner = ownerId(server.kernel.services.get('auth'));
  for (const [method, url, body] of [
    ['GET', '/repo', undefined],
    ['GET', '/repo/main/source', undefined],
    ['PUT', '/repo/main/owned', 'x'],
    ['DELETE', '/repo/main/owned', undefined],
  ] as const) {
    const ask = (expected: string): Promise<RawAnswer> =>
      send(server.port, { method, url, headers: { 'x-amz-expected-bucket-owner': expected }, body });
    const { status, code, body: text } = await ask('123456789012');
    assert.deepEqual([status, code], [403, 'AccessDenied'], `${method} ${url}`);
    assert.match(text, /another owner than x-amz-expected-bucket-owner says/);
    assert.ok((await ask(owner)).status < 300, `${method} ${url}`);
  }
  const copy = { 'x-amz-copy-source': 'repo/main/source', 'x-amz-source-expected-bucket-owner': '123456789012' };
  assert.equal((await send(server.port, { method: 'PUT', url: '/repo/main/owned', headers: copy })).code, 'AccessDenied');
});
