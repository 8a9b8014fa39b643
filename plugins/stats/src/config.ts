/** Keys of statistics. */
import { defineConfig, isHttpAddress, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'stats',
  keys: {
    'stats.enabled': key.bool({ default: true, meaning: 'Collect anonymous usage statistics when stats.address is set' }),
    'stats.address': key.text({
      default: '',
      meaning: 'URL that receives statistics; empty: nothing is collected or sent',
    }),
    'stats.flush_interval': key.timer({ default: '30s', min: 1000, meaning: 'Time between two posts; at least 1s' }),
    'stats.flush_size': key.int({ default: 100, min: 1, meaning: 'Number of different records that triggers a post' }),
    'stats.extended': key.bool({
      default: false,
      meaning: 'Also send repositories, refs and users, as hashes; otherwise they are left out',
    }),
  },
  check: ({ 'stats.address': address }) =>
    address === '' || isHttpAddress(address)
      ? []
      : [`stats.address: the value is not an address; write http://… or https://…, without user and password`],
});
