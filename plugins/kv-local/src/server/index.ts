/** Opens the embedded key-value store when `database.type` is `local`. */
import { definePlugin } from '@srv/kernel';
import { kvLocalConfig } from '../config.js';
import { openLocalKvStore, openSharedKvStore } from './open.js';
import { prepareRepair } from './repair.js';
import type { SharedKvStore } from './shared/shared-store.js';
import type { LocalKvStore } from './store.js';

export default definePlugin({
  name: 'kv-local',
  apply(kernel) {
    let store: LocalKvStore | SharedKvStore | undefined;
    kernel.hooks.health.tap('kv-local', report => {
      const problem = store?.problem;
      if (problem !== undefined) report(`the embedded database cannot write: ${problem}`);
    });
    kernel.hooks.openKvStore.for('local').tapPromise('kv-local', async config => {
      const values = config.values(kvLocalConfig.keys);
      const options = {
        path: values['database.local.path'],
        syncWrites: values['database.local.sync_writes'],
        prefetchSize: values['database.local.prefetch_size'],
        strict: values['database.local.strict'],
        reports: kernel.log,
        log: values['database.local.enable_logging'] ? kernel.log : undefined,
      };
      const peers = kernel.services.find('peers');
      store = peers ? await openSharedKvStore({ ...options, group: peers.group }) : await openLocalKvStore(options);
      return store;
    });
    kernel.hooks.repairKvStore
      .for('local')
      .tapPromise('kv-local', config => prepareRepair(config.values(kvLocalConfig.keys)['database.local.path']));
  },
});
