/** Opens the block store in a local folder when `blockstore.type` is `local`. */
import { definePlugin } from '@srv/kernel';
import { blockLocalConfig } from '../config.js';
import { openLocalBlockStore } from './open.js';

export default definePlugin({
  name: 'block-local',
  apply(kernel) {
    kernel.hooks.openBlockStore.for('local').tapPromise('block-local', config => {
      const values = config.values(blockLocalConfig.keys);
      return openLocalBlockStore({
        path: values['blockstore.local.path'],
        syncs: values['blockstore.local.sync'],
        importEnabled: values['blockstore.local.import_enabled'],
        importHidden: values['blockstore.local.import_hidden'],
        allowedExternalPrefixes: values['blockstore.local.allowed_external_prefixes'],
        log: kernel.log,
      });
    });
  },
});
