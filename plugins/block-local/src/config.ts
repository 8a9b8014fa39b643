/** Keys of the block store in a local folder. */
import { isAbsolute } from 'node:path';
import { defineConfig, key } from '@srv/kernel';

export const blockLocalConfig = defineConfig({
  plugin: 'block-local',
  keys: {
    'blockstore.local.path': key.path({ default: '~/srv/data/block', meaning: 'Folder that holds the objects' }),
    'blockstore.local.sync': key.bool({
      default: true,
      meaning:
        'Acknowledge a write when it would survive a power failure; false is faster, and keeps what is written if only the server ends',
    }),
    'blockstore.local.import_enabled': key.bool({
      default: false,
      meaning: 'Allow importing from folders this machine sees; meant for storage that all servers share',
    }),
    'blockstore.local.import_hidden': key.bool({ default: false, meaning: 'Import files and folders whose name starts with a dot, too' }),
    'blockstore.local.allowed_external_prefixes': key.list({
      default: [],
      meaning: 'Absolute folders outside the block store that may be read and imported; none when empty',
    }),
  },
  check: values =>
    values['blockstore.local.allowed_external_prefixes']
      .filter(prefix => !isAbsolute(prefix))
      .map(prefix => `blockstore.local.allowed_external_prefixes: ${prefix} is not absolute; write folders such as /data/shared`),
});

export default blockLocalConfig;
