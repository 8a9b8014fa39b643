import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { Storage } from '@google-cloud/storage';
import { rejectsWith } from '@srv/kernel/testing';
import { UrlSigner, signByLibrary } from '../src/server/sign.js';
import { at, useGs } from './served.js';

const { open } = useGs();

test('a signed URL contains what was asked for, and its expiry is returned', async () => {
  const before = Date.now();
  const { url, expiry } = await (await open({ preSignedExpiry: 3_600_000 })).preSign(at('folder/a b+c?.txt'), 'read', 'x/é.txt');
  const signed = new URL(url);
  assert.equal(signed.pathname, '/objects/folder/a%20b%2Bc%3F.txt');
  assert.equal(signed.searchParams.get('X-Goog-Algorithm'), 'GOOG4-RSA-SHA256');
  assert.ok(signed.searchParams.get('X-Goog-Signature'));
  assert.equal(signed.searchParams.get('response-content-disposition'), "attachment; filename*=utf-8''%C3%A9.txt");
  assert.ok(expiry && expiry.getTime() > before + 3_599_000 && expiry.getTime() <= Date.now() + 3_600_000);
});

test('the longest expiry is the seven days of the service, at any time of a second', async t => {
  const sevenDays = 7 * 86_400_000;
  const store = await open({ preSignedExpiry: sevenDays });
  for (const now of [1_800_000_000_000, 1_800_000_000_001, 1_800_000_000_999]) {
    t.mock.timers.enable({ apis: ['Date'], now });
    const { url, expiry } = await store.preSign(at('x'), 'read');
    t.mock.timers.reset();
    assert.equal(new URL(url).searchParams.get('X-Goog-Expires'), '604800');
    assert.equal(expiry?.getTime(), 1_800_000_000_000 + sevenDays);
  }
});

test('a URL serves its method and object only', async () => {
  const store = await open();
  await store.put(at('signed'), Buffer.from('old'));
  const { url: write } = await store.preSign(at('signed'), 'write');
  const { url: read } = await store.preSign(at('signed'), 'read');
  // Some clients send this to every store.
  const put = (url: string): Promise<Response> => fetch(url, { method: 'PUT', body: 'new', headers: { 'x-ms-blob-type': 'BlockBlob' } });
  assert.equal((await fetch(write)).status, 403);
  assert.equal((await put(read)).status, 403);
  assert.equal((await put(write.replace('/signed?', '/other?'))).status, 403);
  assert.equal((await put(write)).status, 200);
  assert.equal(await (await fetch(read)).text(), 'new');
});

test('a URL that has expired is refused', async () => {
  const store = await open({ preSignedExpiry: 1 });
  await store.put(at('expired'), Buffer.from('x'));
  const { url, expiry } = await store.preSign(at('expired'), 'read');
  while (expiry && expiry.getTime() >= Date.now()) await new Promise(resolve => setTimeout(resolve, 20));
  assert.equal((await fetch(url)).status, 400);
});

test('the answer to a part has the etag that completes the upload', async () => {
  const store = await open();
  const { uploadId } = await store.createMultipart(at('parts'));
  const parts = [];
  for (const partNumber of [1, 2]) {
    const { url, expiry } = await store.preSignPart(at('parts'), uploadId, partNumber);
    assert.ok(expiry && expiry > new Date());
    const answer = await fetch(url, { method: 'PUT', body: `part ${partNumber}` });
    parts.push({ partNumber, etag: answer.headers.get('etag') ?? '' });
  }
  assert.match(parts[0]?.etag ?? '', /^"[0-9a-f]{32}"$/);
  await store.completeMultipart(at('parts'), uploadId, parts);
  assert.equal((await store.properties(at('parts'))).size, 12);
});

test('rejects invalid parts and URLs', async () => {
  const store = await open();
  await rejectsWith(() => store.preSignPart(at('x'), 'no-upload', 1), 'not_found');
  await rejectsWith(() => store.preSignPart(at('x'), '0'.repeat(32), 0), 'invalid');
  for (const key of ['a/../b', './a']) await rejectsWith(() => store.preSign(at(key), 'read'), 'unsupported', /fold/);
});

test('URLs of a service account are those of the client library', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const email = 'signer@project.iam.gserviceaccount.com';
  const [date, expiry] = [new Date(Date.now() - 5000), new Date(Date.now() + 60_000)];
  for (const endpoint of [undefined, 'http://127.0.0.1:4443']) {
    const storage = new Storage({
      credentials: { client_email: email, private_key: privateKey },
      ...(endpoint === undefined ? {} : { apiEndpoint: endpoint }),
    });
    const signer = new UrlSigner(storage, 60_000, { email, privateKey });
    for (const key of ['x', 'a/b c+d.txt', "it's (100%)!*.bin", 'é/ü ß&=?#.png', '日本/語', 'a//b']) {
      for (const options of [{ mode: 'write' }, { mode: 'read' }, { mode: 'read', disposition: `attachment; filename="x y"` }] as const) {
        const object = { bucket: 'bucket', key };
        const [own, library] = await Promise.all([
          signer.signUntil(object, options, date, expiry),
          signByLibrary(storage, object, options, date, expiry),
        ]);
        assert.equal(sorted(own), sorted(library));
      }
    }
  }
});

function sorted(url: string): string {
  const { origin, pathname, searchParams } = new URL(url);
  return [origin + pathname, ...[...searchParams].map(pair => pair.join('=')).sort()].join('\n');
}
