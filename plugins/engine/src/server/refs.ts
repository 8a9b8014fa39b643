import { sharedCache } from '@srv/kernel/cache';
import { noopMetrics } from '@srv/kernel/metrics';
import { adoptInstallation } from '../refs/adopted-installation.js';
import { isForeign } from '../refs/branch-snapshot.js';
import section from '../refs/config.js';
import { openRefs } from '../refs/service.js';
import type { PluginKernel } from '@srv/kernel';
import type {} from '@srv/lib-stores/block';
import type { ConflictResolver } from '../refs/conflicts.js';
import type { Refs, RunningRefs } from '../refs/service.js';
import type { CommittedStore } from '../tables/contract.js';

/** Milliseconds that rows of partitions no branch names any more are kept for readers. */
const grace = 10_000;

/** Opens branches and commits. */
export function startRefs(kernel: PluginKernel, tables: CommittedStore, resolveConflict: ConflictResolver): RunningRefs {
  const values = kernel.config.values(section.keys);
  const kv = kernel.services.get('kv');
  return openRefs({
    kv,
    committed: tables,
    hooks: kernel.hooks,
    log: kernel.log,
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
    // A read of the embedded store costs less than sharing it, and peers of its owner share reads on their own.
    batchDelay: isForeign(kv) ? values['graveler.max_batch_delay'] : 0,
    rateLimit: values['graveler.background.rate_limit'],
    grace,
    undeleteDays: values['branches.undelete_days'],
    foldAfter: values['branches.compact_after'],
    resolveConflict,
  });
}

/** Finds what another server of this kind of metadata has written into the same stores. */
export async function adopt(kernel: PluginKernel, refs: Refs, tables: CommittedStore): Promise<void> {
  // A store that loses its data with every stop has nothing to be found.
  if (!kernel.services.get('block').info.productionSafe) return;
  await adoptInstallation({
    refs,
    committed: tables,
    log: kernel.log,
    isConfigured: kernel.config.sourceOf('committed.block_storage_prefix') !== 'default',
  });
}
