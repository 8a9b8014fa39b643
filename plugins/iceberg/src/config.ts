/** Keys of the Iceberg catalog. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'iceberg',
  keys: {
    'features.iceberg_catalog': key.bool({ default: true, meaning: 'Serve an Iceberg REST catalog below /iceberg/api' }),
    'iceberg_catalog.token_duration': key.duration({
      default: '1h',
      meaning: 'Life of tokens of the catalog, and of the credentials for data files that it hands out',
    }),
  },
});
