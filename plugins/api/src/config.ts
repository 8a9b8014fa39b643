/** Keys of the API. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'api',
  keys: {
    'blockstore.default_namespace_prefix': key.text({ meaning: 'Beginning of storage namespaces that the web page offers' }),
    'blockstore.signing.secret_key': key.text({
      required: true,
      secret: true,
      aliases: ['blockstores.signing.secret_key'],
      meaning: 'Random string that signs physical addresses',
    }),
    'installation.allow_inter_region_storage': key.bool({ default: true, meaning: "Allow storage in a region other than the server's" }),
  },
});
