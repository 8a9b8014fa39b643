import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Accounts } from '../src/server/client.js';
import { at, useAzurite } from './azurite.js';

const { server, open } = useAzurite();

test('a signed URL contains what was asked for, and its expiry is returned', async () => {
  const before = Date.now();
  const { url, expiry } = await open({ preSignedExpiry: 3_600_000 }).preSign(at('folder/a b.txt'), 'read', 'x/é.txt');
  const signed = new URL(url);
  assert.equal(signed.pathname, `/${server().account}/objects/folder/a%20b.txt`);
  assert.equal(signed.searchParams.get('sp'), 'r');
  assert.equal(signed.searchParams.get('sr'), 'b');
  assert.equal(signed.searchParams.get('st'), null);
  assert.equal(signed.searchParams.get('rscd'), "attachment; filename*=utf-8''%C3%A9.txt");
  assert.ok(expiry);
  assert.equal(new Date(signed.searchParams.get('se') ?? '').getTime(), expiry.getTime());
  assert.ok(expiry.getTime() > before + 3_598_000 && expiry.getTime() <= Date.now() + 3_600_000);
});

test('a URL for reading cannot write, and one for writing serves no other object', async () => {
  const store = open();
  await store.put(at('signed'), Buffer.from('old'));
  const { url: write } = await store.preSign(at('signed'), 'write');
  const { url: read } = await store.preSign(at('signed'), 'read');
  const put = (url: string): Promise<Response> => fetch(url, { method: 'PUT', body: 'new', headers: { 'x-ms-blob-type': 'BlockBlob' } });
  assert.equal((await put(read)).status, 403);
  assert.equal((await put(write.replace('/signed?', '/other?'))).status, 403);
  assert.equal((await put(write)).status, 201);
  assert.equal(await (await fetch(read)).text(), 'new');
});

test('a URL that has expired is refused', async () => {
  const store = open({ preSignedExpiry: 1 });
  await store.put(at('expired'), Buffer.from('x'));
  const { url, expiry } = await store.preSign(at('expired'), 'read');
  assert.ok(expiry && expiry.getTime() <= Date.now());
  assert.equal((await fetch(url)).status, 403);
});

test('of the cloud only HTTPS is allowed, at the host of the account', async () => {
  const store = open({ testEndpointUrl: undefined, domain: 'blob.core.windows.net' });
  const pointer = { ...at('x'), namespace: `https://${server().account}.blob.core.windows.net/c` };
  const { url } = await store.preSign(pointer, 'read');
  assert.match(url, /^https:\/\/devstoreaccount1\.blob\.core\.windows\.net\/c\/x\?/);
  assert.equal(new URL(url).searchParams.get('spr'), 'https');
});

test('URLs are those of the client library', () => {
  for (const testEndpointUrl of [undefined, 'http://127.0.0.1:10000/account/']) {
    const accounts = new Accounts({ domain: 'blob.core.windows.net', tryTimeout: 1000, testEndpointUrl });
    for (const blob of [
      'x',
      'a/b c+d.txt',
      "it's (100%)!*.bin",
      'é/ü ß&=?#.png',
      '日本/語',
      'a//b',
      '/leading',
      'trailing/',
      'a\\b',
      '%41',
    ]) {
      const address = { account: 'account', container: 'objects', blob };
      assert.equal(accounts.url(address), accounts.blob(address).url);
    }
  }
});
