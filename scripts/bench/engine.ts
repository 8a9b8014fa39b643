/** The engine on embedded storage in a temporary folder, without a network face. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import blockLocalConfig from '@srv/block-local/config';
import blockLocal from '@srv/block-local/plugin';
import engineConfig from '@srv/engine/config';
import engine from '@srv/engine/plugin';
import { createTestKernel } from '@srv/kernel/testing';
import kvLocalConfig from '@srv/kv-local/config';
import kvLocal from '@srv/kv-local/plugin';
import type { InlinePlugin, Kernel } from '@srv/kernel';

interface BenchEngine {
  readonly kernel: Kernel;
  readonly folder: string;
  close(): Promise<void>;
}

interface BenchEngineOptions {
  /** Further plugins. */
  readonly plugins?: readonly InlinePlugin[];
  readonly config?: Readonly<Record<string, unknown>>;
  /** Keys whose values are folders below the temporary one. */
  readonly folders?: Readonly<Record<string, string>>;
}

export async function openEngine({ plugins = [], config = {}, folders = {} }: BenchEngineOptions = {}): Promise<BenchEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const kernel = await createTestKernel({
    plugins: [
      { plugin: kvLocal, section: kvLocalConfig },
      { plugin: blockLocal, section: blockLocalConfig },
      { plugin: engine, section: engineConfig },
      ...plugins,
    ],
    config: {
      'database.local.path': join(folder, 'kv'),
      'blockstore.type': 'local',
      'blockstore.local.path': join(folder, 'block'),
      'committed.local_cache.dir': join(folder, 'cache'),
      ...config,
      ...Object.fromEntries(Object.entries(folders).map(([key, name]) => [key, join(folder, name)])),
    },
  });
  return {
    kernel,
    folder,
    async close() {
      await kernel.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
