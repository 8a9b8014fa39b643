import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestKernel } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import section from '../src/config.js';
import plugin from '../src/server/index.js';

test('opens the store the configuration names', async () => {
  const path = await mkdtemp(join(tmpdir(), 'srv-block-plugin-'));
  const config = { 'blockstore.type': 'local', 'blockstore.local.path': path, 'blockstore.local.import_enabled': true };
  const kernel = await createTestKernel({ plugins: [{ plugin, section }], config });
  const block = kernel.services.get('block');
  assert.equal(block.type, 'local');
  assert.equal(block.info.importSupported, true);
  assert.equal(block.info.productionSafe, true);
  assert.equal(
    block.resolve({ namespace: 'local://repo', identifier: 'x', identifierType: identifierType.relative }),
    `local://${path}/repo/x`,
  );
  await kernel.stop();
  await rm(path, { recursive: true, force: true });
});
