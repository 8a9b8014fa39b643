/** Requests that remove many blobs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { ScriptedHttp, passOn } from '@srv/test-servers';
import { at, container, useAzurite } from './azurite.js';
import type { TestContext } from 'node:test';
import type { BlockStore } from '@srv/kernel';

const { server, open } = useAzurite();

interface Watched {
  readonly store: BlockStore;
  /** Methods and last part of the query. */
  readonly seen: string[];
}

/** A store whose requests are noted. @param refuse status for batch requests instead of passing them on. */
async function watched(t: TestContext, refuse?: number): Promise<Watched> {
  const seen: string[] = [];
  const origin = new URL(server().url).origin;
  const http = await ScriptedHttp.open((request, response) => {
    const isBatch = /[?&]comp=batch/.test(request.url ?? '');
    seen.push(isBatch ? 'batch' : (request.method ?? ''));
    if (!isBatch || refuse === undefined) return passOn(origin, request, response);
    request.resume();
    response.writeHead(refuse, { 'x-ms-error-code': 'UnsupportedHttpVerb' }).end();
  });
  t.after(() => http.close());
  return { store: open({ testEndpointUrl: `${http.url}/${server().account}` }), seen };
}

const put = (store: BlockStore, folder: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const pointer = at(`${folder}/${i}`);
      await store.put(pointer, Buffer.from('x'));
      return pointer;
    }),
  );

test('blobs go 256 to a request', async t => {
  const { store, seen } = await watched(t);
  const pointers = await put(store, 'batched', 300);
  seen.length = 0;
  assert.deepEqual(await store.removeAll(pointers), []);
  assert.deepEqual(seen, ['batch', 'batch']);
  for (const pointer of pointers.slice(0, 3)) assert.equal(await store.exists(pointer), false);
});

test('a service without that request is asked for one blob at a time', async t => {
  const { store, seen } = await watched(t, 405);
  const pointers = await put(store, 'single', 3);
  seen.length = 0;
  assert.deepEqual(await store.removeAll(pointers), []);
  assert.deepEqual(seen, ['batch', 'DELETE', 'DELETE', 'DELETE']);
  for (const pointer of pointers) assert.equal(await store.exists(pointer), false);
});

test('each blob has its own answer', async t => {
  const { store } = await watched(t);
  const [free, leased] = await put(store, 'leased', 2);
  assert.ok(free && leased);
  // A blob cannot be removed while another client holds its lease.
  const service = new BlobServiceClient(server().url, new StorageSharedKeyCredential(server().account, server().accessKey));
  const blob = service.getContainerClient(container).getBlobClient(leased.identifier);
  const lease = blob.getBlobLeaseClient();
  await lease.acquireLease(60);
  const failures = await store.removeAll([free, leased]);
  assert.deepEqual(
    failures.map(({ pointer }) => pointer),
    [leased],
  );
  assert.match(failures[0]?.error.message ?? '', /leased\/1: .*LeaseIdMissing/);
  assert.deepEqual([await store.exists(free), await store.exists(leased)], [false, true]);
  await lease.releaseLease();
  assert.deepEqual(await store.removeAll([leased]), []);
});
