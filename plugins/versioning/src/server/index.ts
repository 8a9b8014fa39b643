import { sharedCache } from '@srv/lib-cache';
import { noopMetrics } from '@srv/lib-metrics';
import { definePlugin } from '@srv/kernel';
import type { PluginKernel } from '@srv/kernel';
import type {} from '@srv/lib-block-store';
import section from '../config.js';
import { adoptInstallation } from './adopted-installation.js';
import { describeRecord } from './describe-record.js';
import { findPartitions } from './known-partitions.js';
import { isForeign } from './branch-snapshot.js';
import { createVersioning } from './service.js';
import type { RunningVersioning } from './service.js';

/** Milliseconds that rows of partitions no branch names any more are kept for readers. */
const grace = 10_000;

export default definePlugin({
  name: 'versioning',
  apply(kernel) {
    let running: RunningVersioning | undefined;
    kernel.hooks.describeRecord.tap('versioning', describeRecord);
    kernel.hooks.partitions.tapPromise('versioning', findPartitions);
    kernel.hooks.start.tapPromise('versioning', async () => {
      running = start(kernel);
      // A store that loses its data with every stop has nothing to be found.
      if (!kernel.services.get('block').info.productionSafe) return;
      await adoptInstallation({
        versioning: running.service,
        committed: kernel.services.get('committed'),
        log: kernel.log.child({ service: 'versioning' }),
        isConfigured: kernel.config.sourceOf('committed.block_storage_prefix') !== 'default',
      });
    });
    kernel.hooks.stop.tapPromise('versioning', async () => running?.stop());
  },
});

function start(kernel: PluginKernel): RunningVersioning {
  const values = kernel.config.values(section.keys);
  const kv = kernel.services.get('kv');
  const running = createVersioning({
    kv,
    committed: kernel.services.get('committed'),
    hooks: kernel.hooks,
    log: kernel.log.child({ service: 'versioning' }),
    metrics: kernel.services.find('metrics') ?? noopMetrics,
    repositoryCache: sharedCache(
      {
        size: values['graveler.reposiory_cache.size'],
        ttl: values['graveler.reposiory_cache.ttl'],
        jitter: values['graveler.reposiory_cache.jitter'],
      },
      kernel.services.find('peers'),
      'repositories',
    ),
    commitCache: {
      size: values['graveler.commit_cache.size'],
      ttl: values['graveler.commit_cache.ttl'],
      jitter: values['graveler.commit_cache.jitter'],
    },
    // A read of the embedded store costs less than sharing it, and peers of its owner share reads in any case.
    batchDelay: isForeign(kv) ? values['graveler.max_batch_delay'] : 0,
    rateLimit: values['graveler.background.rate_limit'],
    grace,
  });
  kernel.services.provide('versioning', running.service);
  return running;
}
