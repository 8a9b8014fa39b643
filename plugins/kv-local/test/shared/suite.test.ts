/** The contract, as a process sees it that reaches the database through another one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKvStore } from '@srv/kernel/testing';
import { OwnerProcess, openSibling } from '../../src/testing/owner-process.js';

testKvStore('kv-local in another process', async () => {
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

testKvStore('kv-local, shared, in the process that has it open', async () => {
  const path = await mkdtemp(join(tmpdir(), 'srv-kv-owner-'));
  return {
    store: await openSibling(path),
    reopen: () => openSibling(path),
    cleanup: () => rm(path, { recursive: true, force: true }),
  };
});
