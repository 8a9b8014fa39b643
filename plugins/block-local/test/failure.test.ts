/** Failed writes leave nothing on the disk, and faults of the disk are reported in one line. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { writing } from '../src/server/files/file-errors.js';
import { openLocalBlockStore } from '../src/server/open.js';

test('a write that fails leaves no file behind', async () => {
  const path = await mkdtemp(join(tmpdir(), 'srv-block-failure-'));
  const store = await openLocalBlockStore({ path });
  const pointer = { namespace: 'local://repo', identifier: 'data/x', identifierType: identifierType.relative };
  const { uploadId } = await store.createMultipart(pointer);
  const controller = new AbortController();
  const stalled = new PassThrough();
  stalled.on('error', () => undefined);
  stalled.write('begun');
  setTimeout(() => controller.abort(), 20);
  await rejectsWith(() => store.put(pointer, stalled, { signal: controller.signal }), 'cancelled');
  await rejectsWith(() => store.put(pointer, Buffer.from('abc'), { size: 2 }), 'invalid', /the body has 3 bytes, 2 were announced/);
  await rejectsWith(
    () => store.put(pointer, Readable.from([Buffer.from('abc')]), { size: 4 }),
    'invalid',
    /the body has 3 bytes, 4 were announced/,
  );
  await rejectsWith(() => store.uploadPart(pointer, uploadId, 1, Buffer.from('abc'), { size: 2 }), 'invalid');
  await rejectsWith(() => store.uploadPart(pointer, '0'.repeat(32), 1, Buffer.from('abc')), 'not_found');
  await rejectsWith(() => store.uploadPart(pointer, '../../etc', 1, Buffer.from('abc')), 'not_found');
  await rejectsWith(
    () => store.completeMultipart(pointer, uploadId, [{ partNumber: 1, etag: 'x' }]),
    'invalid',
    /part 1 was never uploaded/,
  );
  const [own = ''] = await readdir(join(path, '.srv-tmp'));
  assert.deepEqual(await readdir(join(path, '.srv-tmp', own)), []);
  assert.deepEqual((await readdir(join(path, '.srv-uploads', uploadId))).sort(), ['draft', 'stride', 'upload.json']);
  assert.deepEqual((await readdir(path)).sort(), ['.srv-tmp', '.srv-uploads']);
  await store.close();
  await rm(path, { recursive: true, force: true });
});

test('reports errors of the disk in one line and keeps errors of the body unchanged', async () => {
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error(`${code}: as the system puts it`), { code }));
  await rejectsWith(
    () => writing('local:///x', failing('ENOSPC')),
    'storage_full',
    /^local:\/\/\/x: failed to write to storage: the disk is full \(ENOSPC/,
  );
  await rejectsWith(() => writing('local:///x', failing('EFBIG')), 'storage_full', /the file is larger than/);
  await rejectsWith(() => writing('local:///x', failing('EXDEV')), 'unavailable', /another file system/);
  await rejectsWith(() => writing('local:///x', failing('ENAMETOOLONG')), 'invalid', /name is too long/);
  await assert.rejects(() => writing('local:///x', failing('ECONNRESET')), { code: 'ECONNRESET' });
});
