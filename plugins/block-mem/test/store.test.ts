import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { openMemoryStore } from '../src/server/store.js';
import type { ObjectPointer } from '@srv/lib-stores/block';

const pointer = (identifier: string, namespace = 'mem://bucket'): ObjectPointer => ({
  namespace,
  identifier,
  identifierType: identifierType.relative,
});

test('is not safe for production', () => {
  assert.equal(openMemoryStore().info.productionSafe, false);
});

test('serves the scheme mem alone', async () => {
  const store = openMemoryStore();
  await rejectsWith(() => store.put(pointer('x', 'memory://bucket'), Buffer.from('x')), 'invalid', /must start with mem:\/\//);
  await rejectsWith(() => collect(store.walk('s3://bucket/')), 'invalid');
});

test('keeps the storage class, and shares nothing with the buffer it was given', async () => {
  const store = openMemoryStore();
  const body = Buffer.from('content');
  await store.put(pointer('x'), body, { storageClass: 'COLD' });
  body.fill(0);
  const { storageClass, etag } = await store.properties(pointer('x'));
  assert.deepEqual([storageClass, etag], ['COLD', '9a0364b9e99bb480dd25e1f0284c8555']);
});

test('an upload belongs to its key', async () => {
  const store = openMemoryStore();
  const { uploadId } = await store.createMultipart(pointer('x'));
  await rejectsWith(() => store.uploadPart(pointer('y'), uploadId, 1, Buffer.from('x')), 'not_found');
});

test('a walk matches the beginning of addresses and keeps the last folder name of its URI', async () => {
  const store = openMemoryStore();
  for (const key of ['a/b', 'ab', 'b']) await store.put(pointer(key), Buffer.from(key));
  assert.deepEqual(
    (await collect(store.walk('mem://bucket/a'))).map(o => o.relativeKey),
    ['a/b', 'ab'],
  );
});

test('a closed store answers closed', async () => {
  const store = openMemoryStore();
  await store.close();
  await rejectsWith(() => store.exists(pointer('x')), 'closed');
});
