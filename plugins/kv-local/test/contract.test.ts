import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKvStore } from '@srv/kernel/testing';
import { openLocalKvStore } from '../src/server/open.js';

for (const syncWrites of [true, false]) {
  testKvStore(`kv-local on LevelDB, sync_writes ${syncWrites}`, async () => {
    const path = await mkdtemp(join(tmpdir(), 'srv-kv-'));
    const open = () => openLocalKvStore({ path, syncWrites, prefetchSize: 256 });
    return { store: await open(), reopen: open, cleanup: () => rm(path, { recursive: true, force: true }) };
  });
}
