import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testBlockStore } from '@srv/lib-stores/testing';
import { openLocalBlockStore } from '../src/server/open.js';

testBlockStore('block-local on a folder', async () => {
  const path = await mkdtemp(join(tmpdir(), 'srv-block-'));
  const store = await openLocalBlockStore({ path, importEnabled: true });
  return { store, namespace: 'local://suite', cleanup: () => rm(path, { recursive: true, force: true }) };
});
