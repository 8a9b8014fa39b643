/** Records of uploads in parts that may have to be resumed later. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UploadRecord, isGone, thisProcess, willExpire } from '@srv/engine/transfer';
import { scratchFolder } from '@srv/kernel/testing';

test('leaves an upload in progress to its process, and forgets a stale one', async () => {
  const folder = join(scratchFolder(), 'uploads');
  const route = { server: 'http://s', repository: 'r', branch: 'b', path: 'p', file: '/f' };
  const begun = { size: 1, mtime: '1', partSize: 1, uploadId: 'u', physicalAddress: 'a' };
  const part = { part_number: 1, etag: 'e', md5: 'm' };
  const first = await UploadRecord.begin(folder, route, begun);
  assert.ok(first);
  await first.add(part);
  assert.equal(await UploadRecord.begin(folder, route, begun), undefined);
  assert.equal(await UploadRecord.resume(folder, route), undefined);
  assert.equal(await UploadRecord.resume(folder, { ...route, path: 'q' }), undefined);
  await first.release();
  const second = await UploadRecord.resume(folder, route);
  assert.deepEqual([second?.begun.uploadId, second?.parts], ['u', [part]]);
  await second?.release();

  const [name = ''] = readdirSync(folder);
  const file = join(folder, name);
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"part_number":2,"et`);
  const torn = await UploadRecord.resume(folder, route);
  assert.deepEqual(torn?.parts, [part]);
  await torn?.release();

  mkdirSync(folder, { recursive: true });
  utimesSync(file, 1, 1);
  const other = await UploadRecord.begin(folder, { ...route, path: 'q' }, begun);
  assert.equal(readdirSync(folder).length, 1);
  await other?.remove();
  assert.deepEqual(readdirSync(folder), []);
});

test('distinguishes a running process from one that is gone', async () => {
  const child = spawn(process.execPath, ['-e', '0']);
  const { pid = 0 } = child;
  await once(child, 'close');
  const { host } = thisProcess();
  assert.deepEqual([thisProcess(), { pid, host }, { pid, host: `not-${host}` }].map(isGone), [false, true, false]);
});

test('a URL contains its expiry, or counts as expired', () => {
  const url = 'https://store/x?X-Amz-Date=20240131T120000Z&X-Amz-Expires=900';
  const at = (time: string): boolean => willExpire(url, Date.parse(time));
  assert.deepEqual(['2024-01-31T12:00:00Z', '2024-01-31T12:14:45Z', '2024-01-31T12:14:46Z'].map(at), [false, false, true]);
  assert.equal(willExpire('https://store/x'), true);
});
