/** The plugin: counts requests and answers reports. */
import { definePlugin } from '@srv/kernel';
import section from '../config.js';
import operations from '../operations.js';
import { UsageCounter } from './counter.js';
import { UsageRecords, describeUsage, usagePartition } from './usage-records.js';

export default definePlugin({
  name: 'usage',
  apply(kernel) {
    const { hooks, services } = kernel;
    let counter: UsageCounter | undefined;
    hooks.describeRecord.tap('usage', describeUsage);
    hooks.partitions.tap('usage', (_kv, found) => found(usagePartition));
    hooks.operations.tap('usage', table => table.add('usage', operations));
    hooks.start.tap('usage', () => {
      const config = kernel.config.values(section.keys);
      if (!config['usage_report.enabled']) return;
      const installationId = services.find('identity')?.installationId;
      const records = installationId === undefined ? undefined : new UsageRecords(services.get('kv'), installationId);
      const started = new UsageCounter({
        records,
        installationId,
        log: kernel.log,
        peers: services.find('peers'),
      });
      counter = started;
      services.provide('usage', started);
      hooks.activity.tap('usage', activity => started.count(activity));
      started.start(config['usage_report.flush_interval']);
    });
    // Faces come after features, so they have answered their last requests before this.
    hooks.stop.tapPromise('usage', async () => counter?.stop());
  },
});
