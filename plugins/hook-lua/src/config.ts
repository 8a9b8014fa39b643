/** Keys of Lua hooks. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'hook-lua',
  keys: {
    'actions.lua.net_http_enabled': key.bool({
      default: false,
      meaning: 'When true, the network HTTP package is loaded for hook scripts',
    }),
  },
});
