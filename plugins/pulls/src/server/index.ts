/** The plugin: keeps pull requests and adds the operations. */
import { definePlugin } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import operations from '../operations.js';
import { createPullRequests, describeRecord, indexPartition, removeIndex } from './pull-requests.js';

export default definePlugin({
  name: 'pulls',
  apply({ hooks, services }) {
    hooks.operations.tap('pulls', table => table.add('pulls', operations));
    hooks.describeRecord.tap('pulls', describeRecord);
    hooks.partitions.tapPromise('pulls', async (_kv, found) => found(indexPartition));
    hooks.repositoryDeleted.tapPromise('pulls', repository => removeIndex(services.get('kv'), repository));
    hooks.start.tapPromise('pulls', async () => {
      const [kv, engine] = [services.get('kv'), services.get('engine')];
      services.provide('pulls', createPullRequests({ kv, engine, metrics: services.find('metrics') ?? noopMetrics }));
    });
  },
});
