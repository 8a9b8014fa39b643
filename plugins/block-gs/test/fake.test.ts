/** The fake answers the client library's own calls as the service does: what the driver is tested against can be trusted. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { Storage } from '@google-cloud/storage';
import { startGs } from '@srv/test-servers/gs';
import type { TestContext } from 'node:test';
import type { Bucket, File } from '@google-cloud/storage';

async function library(t: TestContext): Promise<Bucket> {
  const server = await startGs();
  t.after(() => server.close());
  const storage = new Storage({ apiEndpoint: server.url, credentials: JSON.parse(server.credentialsJson) as object, projectId: 'test' });
  const [bucket] = await storage.createBucket('library');
  return bucket;
}

test('uploads in one request and in sessions, with hashes that the library checks', async t => {
  const bucket = await library(t);
  assert.deepEqual(await bucket.exists(), [true]);
  const content = randomBytes(700_000);
  await bucket.file('simple').save(content, { resumable: false, validation: 'crc32c' });
  await bucket.file('session').save(content, { resumable: true, validation: 'md5' });
  await pipeline(
    Readable.from([content], { objectMode: false }),
    bucket.file('chunks').createWriteStream({ resumable: true, chunkSize: 256 << 10, metadata: { contentType: 'text/plain' } }),
  );
  for (const name of ['simple', 'session', 'chunks']) {
    assert.ok((await buffer(bucket.file(name).createReadStream({ validation: 'crc32c' }))).equals(content), name);
    assert.ok((await buffer(bucket.file(name).createReadStream({ start: 5, end: 99 }))).equals(content.subarray(5, 100)), name);
  }
  const [metadata] = await bucket.file('chunks').getMetadata();
  assert.deepEqual([metadata.contentType, Number(metadata.size)], ['text/plain', content.length]);
});

test('lists by prefix, delimiter, start and page', async t => {
  const bucket = await library(t);
  for (const name of ['a', 'b/1', 'b/2', 'b.txt', 'c']) await bucket.file(name).save('x', { resumable: false });
  const names = async (options: object): Promise<string[]> => (await bucket.getFiles(options))[0].map(file => file.name);
  assert.deepEqual(await names({}), ['a', 'b.txt', 'b/1', 'b/2', 'c']);
  assert.deepEqual(await names({ prefix: 'b' }), ['b.txt', 'b/1', 'b/2']);
  assert.deepEqual(await names({ startOffset: 'b/2' }), ['b/2', 'c']);
  assert.deepEqual(await names({ delimiter: '/' }), ['a', 'b.txt', 'c']);
  assert.deepEqual(await names({ maxResults: 2, autoPaginate: false }), ['a', 'b.txt']);
  const pages: string[][] = [];
  for (let query: object | null = { maxResults: 2, autoPaginate: false }; query; ) {
    const [files, next]: [File[], object | null, ...unknown[]] = await bucket.getFiles(query);
    pages.push(files.map(file => file.name));
    query = next;
  }
  assert.deepEqual(pages, [['a', 'b.txt'], ['b/1', 'b/2'], ['c']]);
});

test('composes up to 32 objects, copies and deletes; conditions hold', async t => {
  const bucket = await library(t);
  const files = Array.from({ length: 33 }, (_, i) => bucket.file(`part${i}`));
  for (const [i, file] of files.entries()) await file.save(`${i},`, { resumable: false });
  await bucket.combine(files.slice(0, 32), bucket.file('whole'));
  assert.equal((await bucket.file('whole').download())[0].toString(), Array.from({ length: 32 }, (_, i) => `${i},`).join(''));
  assert.equal((await bucket.file('whole').getMetadata())[0].md5Hash, undefined);
  await assert.rejects(() => bucket.combine(files, bucket.file('more')), /exceeds the maximum \(32\)/);
  await bucket.file('whole').copy(bucket.file('copied'));
  await bucket.file('whole').delete();
  assert.deepEqual(await bucket.file('whole').exists(), [false]);
  assert.deepEqual(await bucket.file('copied').exists(), [true]);
  const create = (): Promise<void> => bucket.file('once').save('x', { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } });
  await create();
  await assert.rejects(create, /pre-conditions/);
  await bucket.file('once').setMetadata({ metadata: { colour: 'blue' } });
  assert.equal((await bucket.file('once').getMetadata())[0].metadata?.['colour'], 'blue');
});

test('keys of customers are remembered and demanded', async t => {
  const bucket = await library(t);
  const key = randomBytes(32);
  await bucket.file('locked', { encryptionKey: key }).save('secret', { resumable: false });
  assert.equal((await bucket.file('locked', { encryptionKey: key }).download())[0].toString(), 'secret');
  await assert.rejects(() => bucket.file('locked').download(), /encrypted by a customer-supplied/);
  await assert.rejects(() => bucket.file('locked', { encryptionKey: randomBytes(32) }).download(), /key is incorrect/);
  assert.equal((await bucket.file('locked').getMetadata())[0].md5Hash, undefined);
});

test('signed URLs are checked', async t => {
  const bucket = await library(t);
  const file = bucket.file('folder/signed name.txt');
  const sign = async (action: 'read' | 'write'): Promise<string> =>
    (await file.getSignedUrl({ version: 'v4', action, expires: Date.now() + 60_000, responseDisposition: 'attachment; filename=x' }))[0];
  assert.equal((await fetch(await sign('write'), { method: 'PUT', body: 'signed' })).status, 200);
  const read = await sign('read');
  const answer = await fetch(read);
  assert.deepEqual([await answer.text(), answer.headers.get('content-disposition')], ['signed', 'attachment; filename=x']);
  assert.equal((await fetch(read.replace('filename', 'filenane'))).status, 403);
  assert.equal((await fetch(read.split('?')[0] ?? '')).status, 403);
});
