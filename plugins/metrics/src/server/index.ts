/** Provides the service `metrics` as soon as the configuration is known, measures both stores and shows the numbers. */
import { definePlugin } from '@srv/kernel';
import section from '../config.js';
import { measureBlockStore } from './block-store.js';
import { MeasuredKvStore } from './kv-store.js';
import { addMetricsPage } from './page.js';
import { MetricsRegistry } from './registry.js';
import type { Server } from '@hapi/hapi';

export default definePlugin({
  name: 'metrics',
  apply({ hooks, services }) {
    const registry = new MetricsRegistry();
    let token: string | undefined;
    hooks.configured.tapPromise('metrics', async config => {
      token = config.values(section.keys)['metrics.token'];
      services.provide('metrics', registry);
    });
    hooks.stores.tap('metrics', ({ kv, block }) => ({
      kv: new MeasuredKvStore(kv, registry),
      block: measureBlockStore(block, registry),
    }));
    hooks.routes.tapPromise('metrics', async server => {
      // The framework is the listener's; its plugin is above this one.
      addMetricsPage(server as Server, registry, { token, peers: services.find('peers') });
    });
  },
});
