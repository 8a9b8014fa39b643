/** Keys of an installation with several block stores. */
import { defineConfig } from '@srv/kernel';
import { decodeStores } from './store-list.js';
import type { ConfigKey } from '@srv/kernel';
import type { ConfiguredStore } from './store-list.js';

const stores: ConfigKey<readonly ConfiguredStore[] | undefined> = {
  type: '[]store',
  // It holds the credentials of every store.
  secret: true,
  meaning:
    'Several block stores, instead of section `blockstore`: a list of `id`, `type`, `description`, `backward_compatible` and a section of the keys of `blockstore.<type>`; a JSON list in the environment',
  decode: decodeStores,
};

export const blockstoresConfig = defineConfig({ plugin: 'blockstores', keys: { 'blockstores.stores': stores } });

export default blockstoresConfig;
