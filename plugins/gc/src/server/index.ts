import { randomUUID } from 'node:crypto';
import { SrvError, definePlugin } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import { isRepositoryPartition } from '@srv/lib-records';
import section from '../config.js';
import { LifecycleRuns } from '../lifecycle/lifecycle.js';
import { isLifecycleSettings } from '../lifecycle/settings.js';
import { keepUncommitted } from '../mark/uncommitted.js';
import operations from '../operations/index.js';
import { StoredRules } from '../rules/stored-rules.js';
import { withCollectionNotes } from '../run/collected-objects.js';
import { Collector } from '../run/collector.js';
import { usualTimes } from '../run/lease.js';
import { removeBatch } from '../sweep/remove-batch.js';
import { Maintenance } from './maintenance.js';
import { runMeter } from './meters.js';
import { createPreparation, preparationIdPrefix, preparationKind } from './preparation.js';
import { createRuns } from './runs.js';
import type { KvStore, PeerProcesses, PluginKernel } from '@srv/kernel';
import type { CollectedSources } from '../run/collected-objects.js';

/** Milliseconds that objects stay at least: addresses handed out are linked for a day, clocks differ, requests take a while. */
const safeAge = 25 * 3_600_000;
/** Milliseconds between two checks of all repositories. */
const period = 60_000;
/** After engines of other plugins. */
const last = 1000;

export default definePlugin({
  name: 'gc',
  apply(kernel) {
    let running: Running | undefined;
    kernel.hooks.stores.tap('gc', stores => ({ ...stores, block: withCollectionNotes(stores.block, () => running?.sources) }));
    kernel.hooks.describeRecord.tap('gc', (partition, { key, value }) =>
      isRepositoryPartition(partition) && (key.toString('utf8').startsWith('gc/') || isLifecycleSettings(key))
        ? JSON.parse(value.toString('utf8'))
        : undefined,
    );
    kernel.hooks.operations.tap('gc', table => table.add('gc', operations));
    kernel.hooks.backgroundTask.tap('gc', define => define(preparationKind, preparationIdPrefix));
    kernel.hooks.gcPlan.tapPromise('gc', async plan => {
      const { services } = kernel;
      await keepUncommitted(plan, await services.get('engine').getRepository(plan.repository), services.get('kv'));
    });
    kernel.hooks.gcSweep.tapPromise({ name: 'gc', stage: last }, batch =>
      removeBatch(batch, { block: kernel.services.get('block'), parallelism: kernel.config.values(section.keys)['gc.parallelism'] }),
    );
    kernel.hooks.start.tap('gc', () => {
      running = start(kernel);
    });
    kernel.hooks.ready.tap('gc', () => running?.maintenance.start());
    kernel.hooks.stop.tapPromise('gc', async () => {
      await running?.maintenance.stop();
      await running?.lifecycle.stop();
      await running?.collector.stop();
    });
  },
});

interface Running {
  readonly collector: Collector;
  readonly maintenance: Maintenance;
  readonly lifecycle: LifecycleRuns;
  readonly sources: CollectedSources;
}

function start(kernel: PluginKernel): Running {
  const { services } = kernel;
  const values = kernel.config.values(section.keys);
  const [kv, block, committed, engine] = [services.get('kv'), services.get('block'), services.get('engine').tables, services.get('engine')];
  const minAge = values['gc.min_age'];
  if (minAge < safeAge && !values['gc.unsafe_min_age'])
    throw new SrvError('config', 'gc.min_age is below 25h: uploads under way would be deleted; raise it');
  if (values['gc.metadata_min_age'] < safeAge && !values['gc.unsafe_min_age'])
    throw new SrvError('config', 'gc.metadata_min_age is below 25h: commits and imports under way would lose what they wrote; raise it');
  const log = kernel.log;
  const rules = new StoredRules(block, engine);
  const shared = { kv, block, committed, engine, rules, log };
  const collecting = {
    ...shared,
    hooks: kernel.hooks,
    cacheDir: values['gc.cache_dir'],
    times: usualTimes,
    home: homeOf(kv, services.find('peers')),
    minAge,
    rateLimit: values['gc.rate_limit'],
    maxGarbagePercent: values['gc.max_garbage_percent'],
    quarantineDays: values['gc.quarantine_days'],
    metadataAges: {
      files: values['gc.metadata_min_age'],
      setAside: values['gc.metadata_keep'],
      uploads: values['gc.upload_expiry'],
      reports: values['gc.report_expiry'],
    },
    measure: runMeter(services.find('metrics') ?? noopMetrics),
  };
  const collector = new Collector(collecting);
  services.provide('gc', {
    ...createPreparation({
      ...shared,
      tasks: services.get('tasks'),
      maxFileSize: values['ugc.prepare_max_file_size'],
      interval: values['ugc.prepare_interval'],
      acceptOldClients: values['gc.accept_old_clients'],
    }),
    ...createRuns({ ...collecting, collector }),
  });
  const lifecycle = new LifecycleRuns({
    ...shared,
    exclusively: (repository, work) => collector.exclusively(repository, work),
    period: values['gc.lifecycle_period'],
  });
  services.provide('lifecycle', lifecycle.service());
  const { records } = collector;
  return {
    collector,
    lifecycle,
    maintenance: new Maintenance({
      ...shared,
      records,
      collector,
      lifecycle,
      cacheDir: collecting.cacheDir,
      schedule: values['gc.schedule'],
      period,
      stale: usualTimes.stale,
    }),
    sources: { block, committed, engine, records },
  };
}

/** What the programs that can use the database now have in common; see `LeaseWatch`. */
function homeOf({ isShared, isSharedWithPeers = false }: KvStore, peers: PeerProcesses | undefined): string | undefined {
  if (!isShared) return randomUUID();
  return isSharedWithPeers ? peers?.group : undefined;
}
