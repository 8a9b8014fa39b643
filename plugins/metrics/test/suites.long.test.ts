/** What holds for the stores holds for them when they are measured. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import blockMem from '@srv/block-mem/plugin';
import { createTestKernel } from '@srv/kernel/testing';
import kvLocalConfig from '@srv/kv-local/config';
import kvLocal from '@srv/kv-local/plugin';
import { testBlockStore, testKvStore } from '@srv/lib-stores/testing';
import section from '../src/config.js';
import plugin from '../src/server/index.js';

const metrics = { plugin, section };

testKvStore('measured kv-local', async () => {
  const path = await mkdtemp(join(tmpdir(), 'srv-metrics-'));
  const open = async () => {
    const plugins = [metrics, { plugin: kvLocal, section: kvLocalConfig }];
    return (await createTestKernel({ plugins, config: { 'database.local.path': path } })).services.get('kv');
  };
  return { store: await open(), reopen: open, cleanup: () => rm(path, { recursive: true, force: true }) };
});

testBlockStore('measured block-mem', async () => {
  const kernel = await createTestKernel({ plugins: [metrics, blockMem] });
  return { store: kernel.services.get('block'), namespace: 'mem://suite', cleanup: () => kernel.stop() };
});
