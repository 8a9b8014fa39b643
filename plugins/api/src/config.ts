/** Keys of the API. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'api',
  keys: {
    'installation.allow_inter_region_storage': key.bool({ default: true, meaning: "Allow storage in a region other than the server's" }),
  },
});
