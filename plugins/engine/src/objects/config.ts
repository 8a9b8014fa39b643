import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'engine',
  keys: {
    'graveler.ensure_readable_root_namespace': key.bool({
      default: true,
      meaning: 'When a repository is created, check that the root of its storage namespace can be read',
    }),
  },
});
