import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestKernel, rejectsWith } from '@srv/kernel/testing';
import section from '../src/config.js';
import plugin from '../src/server/index.js';

test('opens the store the configuration names, and closes it with the kernel', async () => {
  const path = await mkdtemp(join(tmpdir(), 'srv-kv-plugin-'));
  const config = { 'database.local.path': path, 'database.local.enable_logging': true };
  const kernel = await createTestKernel({ plugins: [{ plugin, section }], config });
  const kv = kernel.services.get('kv');
  await kv.set('p', Buffer.from('k'), Buffer.from('v'));
  assert.deepEqual(kernel.wiring()['openKvStore[local]']?.[0], 'kv-local');
  await rejectsWith(() => createTestKernel({ plugins: [{ plugin, section }], config }), 'unavailable', /is in use by another process/);
  await kernel.stop();
  await rejectsWith(() => kv.get('p', Buffer.from('k')), 'closed');
  const again = await createTestKernel({ plugins: [{ plugin, section }], config });
  assert.equal((await again.services.get('kv').get('p', Buffer.from('k')))?.value.toString(), 'v');
  await again.stop();
  await rm(path, { recursive: true, force: true });
});

test('refuses settings out of range', async () => {
  await rejectsWith(
    () => createTestKernel({ plugins: [{ plugin, section }], config: { 'database.local.prefetch_size': 0 } }),
    'config',
    /prefetch_size: 0 .* a whole number from 1/,
  );
});
