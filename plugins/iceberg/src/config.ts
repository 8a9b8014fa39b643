/** Keys of the Iceberg catalog. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'iceberg',
  keys: {
    'features.iceberg_catalog': key.bool({ default: true, meaning: 'Serve an Iceberg REST catalog below /iceberg/api' }),
    'iceberg.commit': key.text({
      values: ['none', 'each'],
      default: 'none',
      meaning: '`each`: every change of a client of the catalog is committed to its branch, with all else that is uncommitted there',
    }),
    'iceberg_catalog.token_duration': key.duration({
      default: '1h',
      meaning: 'Life of tokens of the catalog, and of the credentials for data files that it hands out',
    }),
  },
});
