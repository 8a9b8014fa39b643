import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { rejectsWith } from '@srv/kernel/testing';
import { ScriptedHttp, passOn } from '@srv/test-servers';
import { Uploads } from '../src/server/uploads.js';
import { at, bucket, useGs } from './served.js';
import type { BlockStore, UploadedPart } from '@srv/lib-stores/block';

const { server, open } = useGs();
const names = (prefix: string): string[] => server().fake.objects.names(bucket, prefix, '');

async function upload(store: BlockStore, name: string, count: number): Promise<{ uploadId: string; parts: UploadedPart[] }> {
  const { uploadId } = await store.createMultipart(at(name));
  const parts: UploadedPart[] = [];
  for (let n = 1; n <= count; n++) parts.push({ partNumber: n, ...(await store.uploadPart(at(name), uploadId, n, Buffer.from(`${n},`))) });
  return { uploadId, parts };
}

test('more parts than are joined at a time are joined in layers, and nothing else is left', async () => {
  const store = await open();
  const { uploadId, parts } = await upload(store, 'layered/x', 100);
  assert.equal(names('layered/').length, 101);
  const { size } = await store.completeMultipart(at('layered/x'), uploadId, parts);
  const expected = Array.from({ length: 100 }, (_, i) => `${i + 1},`).join('');
  assert.equal((await buffer(await store.get(at('layered/x')))).toString(), expected);
  assert.equal(size, expected.length);
  assert.deepEqual(names('layered/'), ['layered/x']);
});

test('aborting removes the upload and nothing beside it', async () => {
  const store = await open();
  const kept = ['abort/x', 'abort/xy', 'abort/x.other', 'abort/x.multipart', 'abort/x.part_00001'];
  for (const name of kept) await store.put(at(name), Buffer.from(name));
  const [one, two] = [await upload(store, 'abort/x', 3), await upload(store, 'abort/x', 2)];
  await store.abortMultipart(at('abort/x'), one.uploadId);
  assert.ok(names('abort/').every(name => !name.includes(one.uploadId)));
  assert.equal(names('abort/').filter(name => name.includes(two.uploadId)).length, 3);
  await store.abortMultipart(at('abort/x'), two.uploadId);
  assert.deepEqual(names('abort/'), kept.sort());
});

test('an upload that could not be joined can be completed later', async t => {
  let refusals = 0;
  const http = await ScriptedHttp.open((request, response) => {
    // The layers succeed, the last step does not.
    if (refusals > 0 || !request.url?.includes('/o/later/compose')) return passOn(server().url, request, response);
    refusals++;
    request.resume();
    response.writeHead(403).end();
  });
  t.after(() => http.close());
  const store = await open({ testEndpointUrl: http.url });
  const { uploadId, parts } = await upload(store, 'later', 40);
  await rejectsWith(() => store.completeMultipart(at('later'), uploadId, parts), 'forbidden');
  assert.equal(await store.exists(at('later')), false);
  await store.completeMultipart(at('later'), uploadId, parts);
  assert.equal((await buffer(await store.get(at('later')))).toString(), Array.from({ length: 40 }, (_, i) => `${i + 1},`).join(''));
  assert.deepEqual(names('later'), ['later']);
});

test('a part that is sent again while the upload completes does not get into the object', async t => {
  const content = (bytes: string): Buffer => Buffer.from(bytes);
  let interfering = false;
  const http = await ScriptedHttp.open((request, response) => {
    const interfere = async (): Promise<void> => {
      if (request.url?.includes('/compose') && !interfering) {
        interfering = true;
        await plain.uploadPart(at('raced'), uploadId, 1, content('later'));
      }
      passOn(server().url, request, response);
    };
    interfere().catch(() => response.destroy());
  });
  t.after(() => http.close());
  const [plain, store] = [await open(), await open({ testEndpointUrl: http.url })];
  const { uploadId } = await store.createMultipart(at('raced'));
  const part = await store.uploadPart(at('raced'), uploadId, 1, content('first'));
  await rejectsWith(() => store.completeMultipart(at('raced'), uploadId, [{ partNumber: 1, ...part }]), 'invalid', /replaced while/);
  assert.equal(await store.exists(at('raced')), false);
  const { parts } = await store.listParts(at('raced'), uploadId);
  await store.completeMultipart(at('raced'), uploadId, parts);
  assert.equal((await buffer(await store.get(at('raced')))).toString(), 'later');
});

test('of two processes that complete an upload with different lists, one makes the object', async t => {
  for (const moment of ['before it is made', 'after it was made']) {
    const name = `two processes/${moment}`;
    let other: (() => Promise<unknown>) | undefined;
    const http = await ScriptedHttp.open((request, response) => {
      const interfere = async (): Promise<void> => {
        const isLast = request.method === 'POST' && request.url?.includes(`${encodeURIComponent(name)}/compose`);
        if (isLast) {
          const run = other;
          other = undefined;
          await run?.();
        }
        passOn(server().url, request, response);
      };
      interfere().catch(() => response.destroy());
    });
    t.after(() => http.close());
    // Stores of their own, as two processes have.
    const [first, second] = [await open({ testEndpointUrl: http.url }), await open()];
    const { uploadId, parts } = await upload(first, name, 40);
    const shorter = parts.slice(0, 35);
    // What is left behind does not matter: another process may be about to remove it.
    const keepsParts = moment.startsWith('after') ? t.mock.method(Uploads.prototype, 'abort', () => Promise.resolve()) : undefined;
    other = () => second.completeMultipart(at(name), uploadId, shorter).finally(() => keepsParts?.mock.restore());
    await rejectsWith(() => first.completeMultipart(at(name), uploadId, parts), 'not_found');
    assert.equal((await buffer(await second.get(at(name)))).toString(), shorter.map(({ partNumber }) => `${partNumber},`).join(''));
    assert.deepEqual(names(name), [name]);
  }
});

test('completing again after the answer was lost, with what is left of the upload, gives the same object', async t => {
  const store = await open();
  const { uploadId, parts } = await upload(store, 'again', 3);
  const keepsParts = t.mock.method(Uploads.prototype, 'abort', () => Promise.resolve());
  const once = await store.completeMultipart(at('again'), uploadId, parts);
  keepsParts.mock.restore();
  assert.deepEqual(await store.completeMultipart(at('again'), uploadId, parts), once);
  await rejectsWith(() => store.completeMultipart(at('again'), uploadId, parts), 'not_found');
  assert.deepEqual(names('again'), ['again']);
  // What was there before is replaced.
  const next = await upload(store, 'again', 2);
  await store.completeMultipart(at('again'), next.uploadId, next.parts);
  assert.equal((await buffer(await store.get(at('again')))).toString(), '1,2,');
});

test('reports parts of a completed upload that cannot be removed, without failing', async t => {
  const http = await ScriptedHttp.open((request, response) => {
    if (request.method !== 'DELETE') return passOn(server().url, request, response);
    request.resume();
    response.writeHead(500).end();
  });
  t.after(() => http.close());
  const warned: string[] = [];
  const store = await open({ testEndpointUrl: http.url, log: { ...silentLogger, warn: (_, message) => void warned.push(message) } });
  const { uploadId, parts } = await upload(store, 'untidy', 2);
  await store.completeMultipart(at('untidy'), uploadId, parts);
  assert.equal(await store.exists(at('untidy')), true);
  assert.deepEqual(warned, ['parts of a completed upload remain']);
});

test('a large copy takes several requests, and stops when cancelled', async t => {
  const store = await open();
  await store.put(at('source'), Buffer.alloc(1000, 'x'));
  server().fake.rewriteBytes = 100;
  t.after(() => {
    server().fake.rewriteBytes = Number.POSITIVE_INFINITY;
  });
  await store.copy(at('source'), at('rewritten'));
  assert.equal((await store.properties(at('rewritten'))).size, 1000);
  server().fake.rewriteBytes = 1;
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  await rejectsWith(() => store.copy(at('source'), at('never'), controller.signal), 'cancelled');
  assert.equal(await store.exists(at('never')), false);
});
