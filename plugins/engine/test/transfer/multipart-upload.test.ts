/** Uploads in parts where their record cannot be written. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { noProgress } from '@srv/lib-commands';
import { fileSource } from '../../src/transfer/sources.js';
import { upload } from '../../src/transfer/upload.js';
import { UploadRecord } from '../../src/transfer/upload-record.js';
import { startFakeStore } from './fake-store.js';
import type { TestContext } from 'node:test';
import type { Client } from '../../src/operations/client.js';

const mebibyte = 1 << 20;
const target = { repository: 'lakes', branch: 'main', path: 'x' };

/** A store for one file of three parts. */
async function start(t: TestContext) {
  const store = await startFakeStore();
  t.after(() => store.close());
  const calls: string[] = [];
  const told: string[] = [];
  const hooks = { beforePart: (): void => undefined, beforeComplete: (): void => undefined };
  const api = {
    endpoint: new URL(store.url),
    createPresignMultipartUpload: async () => {
      calls.push('begin');
      return { upload_id: 'u', physical_address: 'a', presigned_urls: [] };
    },
    uploadPart: async ({ partNumber }: { partNumber: number }) => {
      hooks.beforePart();
      return { presigned_url: `${store.url}/signed?path=${partNumber}` };
    },
    completePresignMultipartUpload: async () => {
      hooks.beforeComplete();
      calls.push('complete');
      return { path: 'x', checksum: 'c' };
    },
    abortPresignMultipartUpload: async () => void calls.push('abort'),
  } as unknown as Client;
  const home = scratchFolder();
  const file = join(home, 'large');
  writeFileSync(file, Buffer.alloc(12 * mebibyte, 'a'));
  const send = async (folder: string) => {
    const preSign = { enabled: true, multipart: true, headers: {} };
    const resumption = { folder, tell: (line: string) => void told.push(line) };
    return upload(await fileSource(file), target, { api, preSign, progress: noProgress, signal: new AbortController().signal, resumption });
  };
  return { store, calls, told, hooks, home, file, send };
}

test('an upload in parts works where its record cannot be written', async t => {
  const { store, calls, home, file, send } = await start(t);
  // As in a home that is read-only: nothing can be created below a file.
  assert.deepEqual(await send(join(file, 'uploads')), { path: 'x', checksum: 'c' });
  assert.deepEqual([calls, store.objects.size], [['begin', 'complete'], 3]);
  // The folder is there, and takes no file.
  const folder = join(home, 'uploads');
  mkdirSync(folder);
  assert.ok(await send(folder));
  const record = await UploadRecord.begin(folder, routeOf(store.url, file), begun);
  assert.ok(record);
  await record.release();
  const [name = ''] = readdirSync(folder);
  rmSync(join(folder, name));
  mkdirSync(join(folder, name, 'x'), { recursive: true });
  calls.length = 0;
  assert.ok(await send(folder));
  assert.deepEqual(calls, ['begin', 'complete']);
});

test('an upload in parts works when its record can no longer be written, and is given up when it fails', async t => {
  const { store, calls, told, hooks, home, send } = await start(t);
  const folder = join(home, 'uploads');
  hooks.beforePart = () => {
    const [name = ''] = readdirSync(folder);
    rmSync(join(folder, name), { recursive: true });
    mkdirSync(join(folder, name));
  };
  assert.ok(await send(folder));
  assert.deepEqual([calls, store.objects.size, readdirSync(folder).length], [['begin', 'complete'], 3, 1]);
  rmSync(folder, { recursive: true });
  calls.length = 0;
  hooks.beforeComplete = () => {
    throw new Error('the connection broke');
  };
  await assert.rejects(send(folder), { message: 'the connection broke' });
  assert.deepEqual([calls, told], [['begin', 'abort'], []], 'nothing could be resumed');
});

test('parts that could not be noted are not counted, and lines after them are still read', async () => {
  const folder = join(scratchFolder(), 'uploads');
  const route = routeOf('http://store', '/f');
  const record = await UploadRecord.begin(folder, route, begun);
  assert.ok(record);
  const [name = ''] = readdirSync(folder);
  const path = join(folder, name);
  const part = (number: number) => ({ part_number: number, etag: `e${number}`, md5: `m${number}` });
  await record.add(part(1));
  const written = readFileSync(path, 'utf8');
  rmSync(path);
  mkdirSync(path);
  await record.add(part(2));
  assert.equal(record.unnoted, 1);
  rmdirSync(path);
  // What a full disk leaves of a line.
  writeFileSync(path, `${written}{"part_number":2,"et`);
  await record.add(part(3));
  await record.add(part(4));
  assert.equal(record.unnoted, 1);
  await record.release();
  const resumed = await UploadRecord.resume(folder, route);
  assert.deepEqual(resumed?.parts, [1, 3, 4].map(part));
  await resumed?.remove();
});

const begun = { size: 12 * mebibyte, mtime: '1', partSize: 5 * mebibyte, uploadId: 'u', physicalAddress: 'a' };

function routeOf(server: string, file: string) {
  return { server: new URL(server).href, ...target, file };
}
