/** Opens the block stores of `blockstores.stores`, each by the plugin of its type. */
import { definePlugin } from '@srv/kernel';
import { joinedType } from '@srv/lib-stores/block';
import { blockstoresConfig } from '../config.js';
import { openStores } from './open-stores.js';
import { withSeveralStores } from './source.js';

export default definePlugin({
  name: 'blockstores',
  apply({ hooks }) {
    // After the plugins that read sources.
    hooks.configSources.tap({ name: 'blockstores', stage: 1 }, entries => withSeveralStores(entries));
    hooks.openBlockStore
      .for(joinedType)
      .tapPromise('blockstores', config => openStores(config.values(blockstoresConfig.keys)['blockstores.stores'] ?? [], config, hooks));
  },
});
