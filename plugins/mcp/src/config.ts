/** Keys of the Model Context Protocol. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'mcp',
  keys: {
    'features.mcp': key.bool({ default: true, meaning: 'Serve the Model Context Protocol at /mcp' }),
    'mcp.write': key.text({
      values: ['none', 'own-branches', 'any'],
      default: 'own-branches',
      meaning: 'Where agents may write: nowhere, on branches that they started by this protocol, or wherever their user may',
    }),
    'mcp.max_bytes': key.int({ min: 1, max: 16 << 20, default: 1 << 20, meaning: 'Bytes of an object that an agent may write' }),
    'mcp.allowed_origins': key.list({
      default: [],
      defaultText: '-',
      meaning: 'Origins of web pages that may use the protocol, such as https://app.example.com, in addition to the own one',
    }),
    'mcp.allowed_hosts': key.list({
      default: [],
      defaultText: '-',
      meaning: 'Host names under which a server that listens on this machine alone is reached, in addition to localhost: those of a proxy',
    }),
  },
});
