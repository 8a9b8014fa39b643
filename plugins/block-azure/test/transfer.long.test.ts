/** Copies by the service itself. Azurite lacks Put Block From URL, so a server in front of it provides that. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { rejectsWith } from '@srv/kernel/testing';
import { multipartEtag } from '@srv/lib-stores/block';
import { ScriptedHttp, passOn } from '@srv/test-servers';
import { azuriteDomain } from '@srv/test-servers/azure';
import { Accounts } from '../src/server/client.js';
import { Transfers } from '../src/server/copy.js';
import { Signer } from '../src/server/sign.js';
import { at, container, quickRetry, useAzurite } from './azurite.js';
import { openCopyingAzure } from './put-block-from-url.js';
import type { TestContext } from 'node:test';
import type { BlockStore } from '@srv/lib-stores/block';
import type { BlobAddress } from '../src/server/address.js';
import type { CopyingAzure } from './put-block-from-url.js';

const { server, open } = useAzurite();
const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

async function copying(t: TestContext): Promise<{ azure: CopyingAzure; store: BlockStore }> {
  const azure = await openCopyingAzure(server());
  t.after(() => azure.close());
  return { azure, store: open({ testEndpointUrl: azure.url }) };
}

test('parts are joined by the service, in order, without passing through here', async t => {
  const { azure, store } = await copying(t);
  const { uploadId } = await store.createMultipart(at('joined'));
  const bodies = new Map([
    [3, Buffer.from('three')],
    [1, Buffer.from('one, ')],
    [7, Buffer.alloc(0)],
    [2, Buffer.from('two, ')],
  ]);
  const parts: { partNumber: number; etag: string }[] = [];
  for (const [partNumber, body] of bodies)
    parts.push({ partNumber, ...(await store.uploadPart(at('joined'), uploadId, partNumber, body)) });
  const { etag, size } = await store.completeMultipart(at('joined'), uploadId, parts);
  assert.equal((await buffer(await store.get(at('joined')))).toString(), 'one, two, three');
  assert.equal(size, 15);
  const ordered = [...bodies].sort(([a], [b]) => a - b).map(([, body]) => md5(body));
  assert.equal(etag, multipartEtag(ordered));
  assert.deepEqual([...azure.copied].sort(), ['bytes=0-4', 'bytes=0-4', 'bytes=0-4']);
});

test('parts are copied by the service, whole or a range', async t => {
  const { azure, store } = await copying(t);
  const content = Buffer.from('0123456789');
  await store.put(at('source'), content);
  const { uploadId } = await store.createMultipart(at('copied'));
  const whole = await store.copyPart(at('source'), at('copied'), uploadId, 1);
  assert.equal(whole.etag, md5(content));
  const range = await store.copyPart(at('source'), at('copied'), uploadId, 2, { start: 8, end: 100 });
  assert.deepEqual(azure.copied, ['bytes=0-9', 'bytes=8-9']);
  const { parts } = await store.listParts(at('copied'), uploadId);
  assert.deepEqual(
    parts.map(({ partNumber, etag, size }) => ({ partNumber, etag, size })),
    [
      { partNumber: 1, etag: whole.etag, size: 10 },
      { partNumber: 2, etag: range.etag, size: 2 },
    ],
  );
  const { etag } = await store.completeMultipart(at('copied'), uploadId, parts);
  assert.equal(etag, (await store.properties(at('copied'))).etag, 'without the MD5 of a part the etag is that of the service');
  assert.equal((await buffer(await store.get(at('copied')))).toString(), '012345678989');
});

test('a blob too large for one request is copied in blocks and keeps its MD5; readers see the old one until then', async t => {
  const { azure, store } = await copying(t);
  await store.put(at('big'), Buffer.from('new content'));
  await store.put(at('target'), Buffer.from('old'));
  const accounts = new Accounts({
    storageAccount: server().account,
    storageAccessKey: server().accessKey,
    domain: azuriteDomain,
    testEndpointUrl: azure.url,
    tryTimeout: 60_000,
    retry: quickRetry,
  });
  const transfers = new Transfers(accounts, new Signer(accounts), 4);
  const address = (blob: string): BlobAddress => ({ account: server().account, container, blob });
  const seen: string[] = [];
  azure.beforeBlock = async () => void seen.push((await buffer(await store.get(at('target')))).toString());
  await transfers.copy({ source: address('big'), offset: 0, length: 11 }, accounts.blob(address('target')), {
    md5: Buffer.from(md5(Buffer.from('new content')), 'hex'),
  });
  assert.deepEqual(seen, ['old']);
  assert.equal((await store.properties(at('target'))).etag, md5(Buffer.from('new content')));
  assert.equal((await buffer(await store.get(at('target')))).toString(), 'new content');
});

test('joining is done again when another write of the object takes the blocks away', async t => {
  const { azure, store } = await copying(t);
  const { uploadId } = await store.createMultipart(at('disturbed'));
  const bodies = [Buffer.from('first, '), Buffer.from('second')];
  const parts: { partNumber: number; etag: string }[] = [];
  for (const [i, body] of bodies.entries())
    parts.push({ partNumber: i + 1, ...(await store.uploadPart(at('disturbed'), uploadId, i + 1, body)) });
  let blocks = 0;
  azure.beforeBlock = async () => {
    if (++blocks !== 2) return;
    while (azure.copied.length === 0) await sleep(5);
    // A write in blocks: committing them drops the one that was staged before.
    await open().put(at('disturbed'), Buffer.alloc(9 << 20, 'another'));
  };
  await store.completeMultipart(at('disturbed'), uploadId, parts);
  assert.equal((await buffer(await store.get(at('disturbed')))).toString(), 'first, second');
  assert.ok(azure.copied.length > parts.length, 'blocks were staged again');
});

test('bytes go through here when the service may not read the source', async t => {
  const origin = new URL(server().url).origin;
  let refused = 0;
  const http = await ScriptedHttp.open((request, response) => {
    if (request.headers['x-ms-copy-source'] === undefined) return passOn(origin, request, response);
    refused++;
    request.resume();
    response.writeHead(403, { 'x-ms-error-code': 'CannotVerifyCopySource' }).end();
  });
  t.after(() => http.close());
  const store = open({ testEndpointUrl: `${http.url}/${server().account}` });
  for (const content of ['walled', '']) {
    await store.put(at('walled'), Buffer.from(content));
    await store.copy(at('walled'), at('through'));
    assert.equal((await buffer(await store.get(at('through')))).toString(), content);
  }
  assert.equal(refused, 2);
  await rejectsWith(() => store.copy(at('nothing'), at('through')), 'no_data');
});

test('a source that is replaced while it is copied leaves the target as it was', async t => {
  const { azure, store } = await copying(t);
  const replaced = /changing: the object was replaced while it was copied; copy it again/;
  await store.put(at('changing'), Buffer.from('first version'));
  const { uploadId } = await store.createMultipart(at('copied-part'));
  azure.beforeBlock = async () => void (await open().put(at('changing'), Buffer.from('second one')));
  await rejectsWith(() => store.copyPart(at('changing'), at('copied-part'), uploadId, 1), 'unavailable', replaced);
  assert.deepEqual((await store.listParts(at('copied-part'), uploadId)).parts, []);

  const origin = new URL(server().url).origin;
  let isRead = false;
  const http = await ScriptedHttp.open(async (request, response) => {
    if (request.headers['x-ms-copy-source'] !== undefined) {
      request.resume();
      response.writeHead(403, { 'x-ms-error-code': 'CannotVerifyCopySource' }).end();
      return;
    }
    if (request.method === 'GET' && !isRead) {
      isRead = true;
      await open().put(at('changing'), Buffer.from('third version'));
    }
    passOn(origin, request, response);
  });
  t.after(() => http.close());
  const through = open({ testEndpointUrl: `${http.url}/${server().account}` });
  await store.put(at('kept'), Buffer.from('kept'));
  await rejectsWith(() => through.copy(at('changing'), at('kept')), 'unavailable', replaced);
  assert.equal((await buffer(await store.get(at('kept')))).toString(), 'kept');
  await through.copy(at('changing'), at('kept'));
  assert.equal((await buffer(await store.get(at('kept')))).toString(), 'third version');
});

test('a cancelled copy stops and leaves what was there', async t => {
  const { azure, store } = await copying(t);
  await store.put(at('from'), Buffer.from('from'));
  await store.put(at('to'), Buffer.from('to'));
  const accounts = new Accounts({
    storageAccount: server().account,
    storageAccessKey: server().accessKey,
    domain: azuriteDomain,
    testEndpointUrl: azure.url,
    tryTimeout: 60_000,
  });
  const controller = new AbortController();
  azure.beforeBlock = async () => controller.abort();
  const address = (blob: string): BlobAddress => ({ account: server().account, container, blob });
  const copy = new Transfers(accounts, new Signer(accounts), 0).copy(
    { source: address('from'), offset: 0, length: 4 },
    accounts.blob(address('to')),
    { signal: controller.signal },
  );
  await assert.rejects(copy);
  assert.equal((await buffer(await store.get(at('to')))).toString(), 'to');
  await rejectsWith(() => store.copy(at('from'), at('to'), AbortSignal.abort()), 'cancelled');
});
