/** Keys of the Iceberg catalog. */
import { defineConfig, key } from '@srv/kernel';
import { decodeRemotes } from './remote-list.js';
import type { ConfigKey } from '@srv/kernel';
import type { ConfiguredRemote } from './remote-list.js';

const remotes: ConfigKey<readonly ConfiguredRemote[] | undefined> = {
  type: '[]catalog',
  // It holds the credentials of every catalog.
  secret: true,
  meaning:
    'Other catalogs, which tables are pushed to and pulled from: a list of `id`, `type` (`rest` or `glue`) and a section `rest` or `glue`; a JSON list in the environment',
  decode: decodeRemotes,
};

export default defineConfig({
  plugin: 'iceberg',
  keys: {
    'features.iceberg_catalog': key.bool({ default: true, meaning: 'Serve an Iceberg REST catalog below /iceberg/api' }),
    'iceberg.commit': key.text({
      values: ['none', 'each'],
      default: 'none',
      meaning: '`each`: every change of a client of the catalog is committed to its branch, with all else that is uncommitted there',
    }),
    'iceberg.locations': key.text({
      values: ['gateway', 'store'],
      default: 'gateway',
      meaning:
        'Addresses of new tables: of this server, which works with every block store, or of the block store, which clients then read and write directly',
    }),
    'iceberg_catalog.remotes': remotes,
    'iceberg_catalog.token_duration': key.duration({
      default: '1h',
      min: 1000,
      meaning: 'Life of tokens of the catalog, and of the credentials for data files that it hands out',
    }),
  },
});
