import { noopMetrics } from '@srv/lib-metrics';
import { definePlugin } from '@srv/kernel';
import type { PluginKernel } from '@srv/kernel';
import section from '../config.js';
import type { Catalog } from '../contract.js';
import { DailyCleaner } from './daily-cleaner.js';
import { describeRecord } from './describe-record.js';
import { createCatalog } from './service.js';
import { Tasks, heartbeatPartition } from './tasks.js';
import { IgnoredActionsWarning } from './ignored-actions-warning.js';

export default definePlugin({
  name: 'catalog',
  apply(kernel) {
    let running: Running | undefined;
    let ignoredActions: IgnoredActionsWarning | undefined;
    kernel.hooks.describeRecord.tap('catalog', describeRecord);
    kernel.hooks.partitions.tap('catalog', (_kv, found) => found(heartbeatPartition));
    kernel.hooks.start.tap('catalog', () => {
      running = start(kernel);
      ignoredActions = new IgnoredActionsWarning({ hooks: kernel.hooks, log: kernel.log.child({ service: 'catalog' }) });
      ignoredActions.watch(() => running?.catalog);
    });
    kernel.hooks.ready.tap('catalog', () => running?.cleaner.start());
    kernel.hooks.stop.tapPromise('catalog', async () => {
      running?.cleaner.stop();
      await ignoredActions?.drain();
      await running?.tasks.stop();
    });
  },
});

interface Running {
  readonly catalog: Catalog;
  readonly cleaner: DailyCleaner;
  readonly tasks: Tasks;
}

function start(kernel: PluginKernel): Running {
  const values = kernel.config.values(section.keys);
  const log = kernel.log.child({ service: 'catalog' });
  const versioning = kernel.services.get('versioning');
  const tasks = new Tasks({ kv: kernel.services.get('kv'), log, metrics: kernel.services.find('metrics') ?? noopMetrics });
  const catalog = createCatalog({
    versioning,
    committed: kernel.services.get('committed'),
    block: kernel.services.get('block'),
    tasks,
    log,
    checkRootNamespace: values['graveler.ensure_readable_root_namespace'],
  });
  const cleaner = new DailyCleaner({ versioning, log, what: 'tasks', clean: repository => tasks.clean(repository) });
  kernel.services.provide('catalog', catalog);
  kernel.services.provide('tasks', tasks);
  return { catalog, cleaner, tasks };
}
