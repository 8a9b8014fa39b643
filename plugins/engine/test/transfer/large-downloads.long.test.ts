import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '@srv/engine/client';
import { scratchFolder } from '@srv/kernel/testing';
import { noProgress } from '@srv/lib-commands';
import { download } from '../../src/transfer/download.js';
import { threadThresholdBytes } from '../../src/transfer/written-hash.js';
import { startFakeStore } from './fake-store.js';

test('large downloads are hashed by another thread, with the same result', async t => {
  const store = await startFakeStore();
  t.after(() => store.close());
  const api = createClient({ endpointUrl: store.url, accessKeyId: 'a', secretAccessKey: 'b' });
  const down = {
    api,
    preSign: { enabled: true, multipart: false, headers: {} },
    progress: noProgress,
    signal: new AbortController().signal,
    attempts: 1,
  };
  const folder = scratchFolder();
  const content = Buffer.alloc(threadThresholdBytes + 12_345, 'not a multiple of anything ');
  store.objects.set('large', content);
  const source = { repository: 'lakes', ref: 'main', path: 'large', size: content.length };
  const file = join(folder, 'large');
  // Whole, in parts, and more of them than threads.
  for (const partSize of [1 << 30, 5 << 20]) {
    assert.equal(await download(source, file, { ...down, partSize }), content.length);
    assert.ok(readFileSync(file).equals(content));
  }
  const copies = Array.from({ length: availableParallelism() + 2 }, (_, i) => join(folder, `copy-${i}`));
  await Promise.all(copies.map(copy => download(source, copy, { ...down, partSize: 1 << 30 })));
  for (const copy of copies) assert.ok(readFileSync(copy).equals(content));

  store.spoil = bytes => Buffer.from(bytes).fill(0, 10, 20);
  for (const partSize of [1 << 30, 5 << 20]) {
    await assert.rejects(download(source, file, { ...down, partSize }), /nothing was replaced$/);
    assert.ok(readFileSync(file).equals(content));
  }
  for (const partSize of [1 << 30, 5 << 20]) {
    await download(source, file, { ...down, partSize, verify: false });
    assert.ok(readFileSync(file).equals(store.spoil(content)), 'without a comparison the content is returned as it arrived');
  }
  store.spoil = bytes => bytes.subarray(1);
  await assert.rejects(download(source, file, { ...down, partSize: 5 << 20, verify: false }), /bytes 31457280-/);
  const leaving = new AbortController();
  const cut = download(source, file, { ...down, partSize: 1 << 30, signal: leaving.signal });
  leaving.abort();
  await assert.rejects(cut);
  assert.ok(!readdirSync(folder).some(name => name.endsWith('.part')));
});
