/** Keys of usage reports. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'usage',
  keys: {
    'usage_report.enabled': key.bool({ default: true, meaning: 'Store API and gateway usage reports in the key-value store' }),
    'usage_report.flush_interval': key.timer({
      default: '5m',
      meaning: 'Flush interval of in-memory usage data; 0: when a report is asked for, and at stop',
    }),
  },
});
