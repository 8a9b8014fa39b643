import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKvStore } from '@srv/kernel/testing';
import { openLocalKvStore } from '../src/server/open.js';
import { OwnerProcess, openSibling } from '../src/testing/owner-process.js';

for (const syncWrites of [true, false]) {
  testKvStore(`kv-local on LevelDB, sync_writes ${syncWrites}`, async () => {
    const path = await mkdtemp(join(tmpdir(), 'srv-kv-'));
    const open = () => openLocalKvStore({ path, syncWrites, prefetchSize: 256 });
    return { store: await open(), reopen: open, cleanup: () => rm(path, { recursive: true, force: true }) };
  });
}

testKvStore('kv-local on LevelDB, reached through a sibling', async () => {
  const path = await mkdtemp(join(tmpdir(), 'srv-kv-sibling-'));
  let owner = await OwnerProcess.start(path);
  return {
    store: await openSibling(path, false),
    reopen: async () => {
      await owner.stop();
      owner = await OwnerProcess.start(path);
      return openSibling(path, false);
    },
    cleanup: async () => {
      await owner.stop();
      await rm(path, { recursive: true, force: true });
    },
  };
});

testKvStore('kv-local on LevelDB, shared, in its owner', async () => {
  const path = await mkdtemp(join(tmpdir(), 'srv-kv-owner-'));
  return {
    store: await openSibling(path),
    reopen: () => openSibling(path),
    cleanup: () => rm(path, { recursive: true, force: true }),
  };
});
