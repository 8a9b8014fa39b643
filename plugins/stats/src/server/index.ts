/** The plugin: without an address it does nothing. */
import { readFileSync } from 'node:fs';
import { definePlugin } from '@srv/kernel';
import section from '../config.js';
import { Collector } from './collector.js';
import { installationFacts } from './installation-facts.js';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { readonly version: string };

export default definePlugin({
  name: 'stats',
  apply(kernel) {
    let collector: Collector | undefined;
    kernel.hooks.ready.tap('stats', () => {
      const { services, hooks, log } = kernel;
      const config = kernel.config.values(section.keys);
      const address = config['stats.address'];
      const installationId = services.find('identity')?.installationId;
      if (!config['stats.enabled'] || address === '' || installationId === undefined) return;
      const started = new Collector({
        address,
        flushInterval: config['stats.flush_interval'],
        flushSize: config['stats.flush_size'],
        extended: config['stats.extended'],
        installationId,
        log,
      });
      collector = started;
      hooks.activity.tap('stats', activity => started.count(activity));
      started.start(installationFacts(version, { kv: services.get('kv'), block: services.get('block') }));
    });
    kernel.hooks.stop.tapPromise('stats', async () => collector?.stop());
  },
});
