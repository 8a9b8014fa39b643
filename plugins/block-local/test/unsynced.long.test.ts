/** The contract of block stores, and of their kill, when writes are not synced. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { identifierType } from '@srv/lib-stores/block';
import { testBlockStore } from '@srv/lib-stores/testing';
import { openLocalBlockStore } from '../src/server/open.js';

testBlockStore('block-local without syncs', async () => {
  const path = await mkdtemp(join(tmpdir(), 'srv-block-'));
  const store = await openLocalBlockStore({ path, importEnabled: true, syncs: false });
  return { store, namespace: 'local://suite', cleanup: () => rm(path, { recursive: true, force: true }) };
});

test('small objects need no journal when writes are not synced', async () => {
  for (const syncs of [true, false]) {
    const path = await mkdtemp(join(tmpdir(), 'srv-block-'));
    const store = await openLocalBlockStore({ path, syncs });
    await store.put({ namespace: 'local://repo', identifier: 'a', identifierType: identifierType.relative }, Buffer.from('small'));
    assert.equal(existsSync(join(path, '.srv-journal')), syncs);
    await store.close();
    await rm(path, { recursive: true, force: true });
  }
});
