/** The plugin over a database that a test holds. */
import { Kernel, definePlugin } from '@srv/kernel';
import section from '../../src/config.js';
import authPlugin from '../../src/server/index.js';
import type { KvStore, Plugin } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { AuthMode } from '../../src/contract.js';

/** @param further plugins beside it. */
export async function startAuth(
  kv: KvStore,
  mode: AuthMode = 'internal',
  settings: Readonly<Record<string, unknown>> = {},
  further: readonly Plugin[] = [],
): Promise<Kernel> {
  const plugin = definePlugin({
    name: 'stores',
    apply({ hooks }) {
      hooks.openKvStore.for('local').tapPromise('stores', async () => kv);
      hooks.openBlockStore.for('mem').tapPromise('stores', async () => ({ close: async () => {} }) as BlockStore);
    },
  });
  const values = {
    'database.type': 'local',
    'blockstore.type': 'mem',
    'auth.encrypt.secret_key': 'test',
    'auth.ui_config.rbac': mode,
    ...settings,
  };
  const kernel = new Kernel({
    part: 'server',
    switches: {},
    env: {},
    inline: [{ plugin }, ...further.map(other => ({ plugin: other })), { plugin: authPlugin, section }],
    overrides: Object.entries(values).map(([key, raw]) => ({ key, raw, source: 'test' })),
  });
  await kernel.load();
  await kernel.configure();
  await kernel.start();
  return kernel;
}
