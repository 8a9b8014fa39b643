/** For the tests of plugins that measure. */

import { definePlugin } from '@srv/kernel';
import { Exposition } from '../server/exposition.js';
import { MetricsRegistry } from '../server/registry.js';
import { parseMetrics } from './text-format.js';
import type { Plugin } from '@srv/kernel';
import type { Metrics } from '@srv/kernel/metrics';
import type { MetricsPage } from './text-format.js';

export { MetricsPage, parseMetrics } from './text-format.js';
export type { Labels, Sample, ScrapedMetric } from './text-format.js';

export interface TestMetrics {
  readonly metrics: Metrics;
  /** Provides them in a test kernel; measures nothing itself. */
  readonly plugin: Plugin;
  /** The page as a server would show it now. */
  scrape(): Promise<MetricsPage>;
}

/**
 * Metrics of a test's own.
 * @example
 * const { metrics, scrape } = createTestMetrics();
 * measured(metrics);
 * assert.equal((await scrape()).value('runs_total', { type: 'lua' }), 1);
 */
export function createTestMetrics(): TestMetrics {
  const metrics = new MetricsRegistry();
  const exposition = new Exposition(metrics);
  const plugin = definePlugin({
    name: 'test-metrics',
    apply({ hooks, services }) {
      hooks.configured.tapPromise('test-metrics', async () => services.provide('metrics', metrics));
    },
  });
  return { metrics, plugin, scrape: async () => parseMetrics(await exposition.text()) };
}
