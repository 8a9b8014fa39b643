/** Two stores in one kernel: a folder, and memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import blockLocalConfig from '@srv/block-local/config';
import blockLocal from '@srv/block-local/plugin';
import blockMem from '@srv/block-mem/plugin';
import { createTestKernel } from '@srv/kernel/testing';
import { blockstoresConfig } from '../src/config.js';
import blockstores from '../src/server/index.js';
import type { Kernel } from '@srv/kernel';

export interface Stores {
  readonly kernel: Kernel;
  readonly folder: string;
  close(): Promise<void>;
}

/** @param list of the configuration; its default: a folder, the default store, as `disk`, and memory as `ram`. */
export async function openBoth(list?: (folder: string) => unknown): Promise<Stores> {
  const folder = await mkdtemp(join(tmpdir(), 'srv-blockstores-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const kernel = await createTestKernel({
      plugins: [blockMem, { plugin: blockLocal, section: blockLocalConfig }, { plugin: blockstores, section: blockstoresConfig }],
      config: { 'blockstore.type': 'multiple', 'blockstores.stores': (list ?? both)(folder) },
    });
    return {
      kernel,
      folder,
      async close() {
        await kernel.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

const both = (folder: string): unknown => [
  { id: 'disk', description: 'a folder', backward_compatible: true, type: 'local', local: { path: folder, import_enabled: true } },
  { id: 'ram', type: 'mem' },
];
