import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { at, bucket, namespace, useGs } from './served.js';
import type { BlockStore, UploadedPart } from '@srv/lib-stores/block';

const { server, open } = useGs();
const key = { customerSuppliedKey: '0123456789abcdef'.repeat(4) };
const kmsKeyId = 'projects/p/locations/l/keyRings/r/cryptoKeys/k';
const large = Buffer.alloc((8 << 20) + 5, 'large');
const text = async (store: BlockStore, name: string): Promise<string> => (await buffer(await store.get(at(name)))).toString();
const stored = (name: string) => server().fake.objects.find(bucket, name);

test('everything is written with the customer key, and read with it', async () => {
  const store = await open(key);
  await store.put(at('small'), Buffer.from('small'));
  await store.put(at('large'), large);
  await store.copy(at('small'), at('copied'));
  const { uploadId } = await store.createMultipart(at('joined'));
  const parts: UploadedPart[] = [];
  for (let n = 1; n <= 40; n++) parts.push({ partNumber: n, ...(await store.uploadPart(at('joined'), uploadId, n, Buffer.from(`${n},`))) });
  parts.push({ partNumber: 41, etag: (await store.copyPart(at('small'), at('joined'), uploadId, 41)).etag });
  parts.push({ partNumber: 42, etag: (await store.copyPart(at('small'), at('joined'), uploadId, 42, { start: 1, end: 2 })).etag });
  assert.deepEqual(
    (await store.listParts(at('joined'), uploadId)).parts.map(({ partNumber, etag }) => ({ partNumber, etag })),
    parts,
  );
  await store.completeMultipart(at('joined'), uploadId, parts);
  for (const name of ['small', 'large', 'copied', 'joined']) assert.notEqual(stored(name)?.keyHash, undefined, `${name} is under the key`);
  assert.equal(await text(store, 'small'), 'small');
  assert.equal(await text(store, 'copied'), 'small');
  assert.equal(await text(store, 'joined'), `${Array.from({ length: 40 }, (_, i) => `${i + 1},`).join('')}smallma`);
  assert.ok((await buffer(await store.get(at('large'), { range: { start: 8 << 20, end: 8 << 21 } }))).equals(large.subarray(8 << 20)));
});

test('etags do not depend on who asks', async () => {
  const store = await open(key);
  await store.put(at('tagged/x'), Buffer.from('x'));
  const [walked] = await collect(store.walk(`${namespace}/tagged/`));
  const { etag } = await store.properties(at('tagged/x'));
  assert.equal(walked?.etag, etag);
  assert.equal((await (await open()).properties(at('tagged/x'))).etag, etag);
});

test('objects without a key are read, copied and removed while a key is configured', async () => {
  const [plain, store] = [await open(), await open(key)];
  await plain.put(at('plain'), Buffer.from('plain'));
  assert.equal(await text(store, 'plain'), 'plain');
  assert.equal((await store.properties(at('plain'))).size, 5);
  await store.copy(at('plain'), at('now-under-key'));
  assert.notEqual(stored('now-under-key')?.keyHash, undefined);
  assert.equal(await text(store, 'now-under-key'), 'plain');
  await store.remove(at('plain'));
  assert.equal(await store.exists(at('plain')), false);
});

test('without the key, or with another one, the message says which setting to check', async () => {
  await (await open(key)).put(at('locked'), Buffer.from('x'));
  const other = await open({ customerSuppliedKey: 'ff'.repeat(32) });
  const plain = await open();
  for (const [store, message] of [
    [plain, /is encrypted with a customer-supplied key; check blockstore\.gs\.server_side_encryption_customer_supplied/],
    [other, /is encrypted with another customer-supplied key/],
  ] as const) {
    await rejectsWith(() => store.get(at('locked')), 'forbidden', message);
    await rejectsWith(() => store.copy(at('locked'), at('copy-of-locked')), 'forbidden', message);
    assert.equal(await store.exists(at('locked')), true);
  }
});

test('an object under a customer key has no pre-signed URL, others do', async () => {
  const store = await open(key);
  await store.put(at('under-key'), Buffer.from('x'));
  await (await open()).put(at('open'), Buffer.from('x'));
  for (const mode of ['read', 'write'] as const)
    await rejectsWith(() => store.preSign(at('under-key'), mode), 'unsupported', /encrypted with a customer-supplied key/);
  const { url } = await store.preSign(at('open'), 'read');
  assert.equal((await fetch(url)).status, 200);
  assert.ok((await store.preSign(at('not there yet'), 'write')).url);
  await rejectsWith(() => store.preSignPart(at('x'), '0'.repeat(32), 1), 'unsupported', /encrypted parts/);
});

test('the key of the key management is set on everything that is written', async () => {
  const store = await open({ kmsKeyId });
  await store.put(at('kms/small'), Buffer.from('small'));
  await store.put(at('kms/large'), large);
  await store.copy(at('kms/small'), at('kms/copied'));
  const { uploadId } = await store.createMultipart(at('kms/joined'));
  const parts: UploadedPart[] = [];
  for (let n = 1; n <= 33; n++) parts.push({ partNumber: n, ...(await store.uploadPart(at('kms/joined'), uploadId, n, Buffer.from('x'))) });
  await store.completeMultipart(at('kms/joined'), uploadId, parts);
  for (const name of ['small', 'large', 'copied', 'joined']) assert.equal(stored(`kms/${name}`)?.kmsKeyName, kmsKeyId, name);
  assert.equal(await text(store, 'kms/copied'), 'small');
});
