/** Opens the embedded key-value store when `database.type` is `local`. */
import { definePlugin } from '@srv/kernel';
import { kvLocalConfig } from '../config.js';
import { openLocalKvStore, openSharedKvStore } from './open.js';
import { prepareRepair } from './repair.js';

export default definePlugin({
  name: 'kv-local',
  apply(kernel) {
    kernel.hooks.openKvStore.for('local').tapPromise('kv-local', config => {
      const values = config.values(kvLocalConfig.keys);
      const options = {
        path: values['database.local.path'],
        syncWrites: values['database.local.sync_writes'],
        prefetchSize: values['database.local.prefetch_size'],
        strict: values['database.local.strict'],
        reports: kernel.log,
        ...(values['database.local.enable_logging'] ? { log: kernel.log.child({ driver: 'kv-local' }) } : {}),
      };
      const siblings = kernel.services.find('siblings');
      return siblings ? openSharedKvStore({ ...options, group: siblings.group }) : openLocalKvStore(options);
    });
    kernel.hooks.repairKvStore
      .for('local')
      .tapPromise('kv-local', config => prepareRepair(config.values(kvLocalConfig.keys)['database.local.path']));
  },
});
