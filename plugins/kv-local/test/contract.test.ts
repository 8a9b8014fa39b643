import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKvStore } from '@srv/lib-stores/testing';
import { openLocalKvStore } from '../src/server/open.js';
import { OwnerProcess, openPeer } from '../src/testing/owner-process.js';

for (const syncWrites of [true, false]) {
  testKvStore(`kv-local on LevelDB, sync_writes ${syncWrites}`, async () => {
    const path = await mkdtemp(join(tmpdir(), 'srv-kv-'));
    const open = () => openLocalKvStore({ path, syncWrites, prefetchSize: 256 });
    return { store: await open(), reopen: open, cleanup: () => rm(path, { recursive: true, force: true }) };
  });
}

testKvStore('kv-local on LevelDB, reached through a peer', async () => {
  const path = await mkdtemp(join(tmpdir(), 'srv-kv-peer-'));
  let owner = await OwnerProcess.start(path);
  return {
    store: await openPeer(path, false),
    reopen: async () => {
      await owner.stop();
      owner = await OwnerProcess.start(path);
      return openPeer(path, false);
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
    store: await openPeer(path),
    reopen: () => openPeer(path),
    cleanup: () => rm(path, { recursive: true, force: true }),
  };
});
