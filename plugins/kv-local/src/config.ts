/** Keys of the embedded key-value store. */
import { defineConfig, key } from '@srv/kernel';

export const kvLocalConfig = defineConfig({
  plugin: 'kv-local',
  keys: {
    'database.local.path': key.path({
      default: '~/srv/metadata',
      meaning: 'Folder of the embedded key-value store; one server at a time may use it',
    }),
    'database.local.sync_writes': key.bool({
      default: true,
      meaning: 'Wait until every write is on the disk; false is faster, and a power failure may lose the latest writes',
    }),
    'database.local.prefetch_size': key.int({
      default: 256,
      min: 1,
      meaning: 'Entries read ahead at a time while scanning; more than 1000 count as 1000',
    }),
    'database.local.strict': key.bool({
      default: false,
      meaning: 'Refuse to start when the embedded store has lost records, instead of reporting the loss; the option --strict sets it',
    }),
    'database.local.enable_logging': key.bool({ default: false, meaning: 'Log every operation of the embedded store at level trace' }),
  },
});

export default kvLocalConfig;
