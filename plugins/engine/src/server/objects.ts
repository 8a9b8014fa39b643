import { noopMetrics } from '@srv/kernel/metrics';
import type { PluginKernel } from '@srv/kernel';
import section from '../objects/config.js';
import type { Catalog } from '../objects/contract.js';
import { DailyCleaner } from '../objects/daily-cleaner.js';
import { createCatalog } from '../objects/service.js';
import { Tasks } from '../objects/tasks.js';

export interface RunningObjects {
  readonly catalog: Catalog;
  readonly cleaner: DailyCleaner;
  readonly tasks: Tasks;
}

/** Opens objects and tasks and provides the services `catalog` and `tasks`. */
export function startObjects(kernel: PluginKernel): RunningObjects {
  const values = kernel.config.values(section.keys);
  const log = kernel.log.child({ service: 'engine' });
  const versioning = kernel.services.get('versioning');
  const tasks = new Tasks({ kv: kernel.services.get('kv'), log, metrics: kernel.services.find('metrics') ?? noopMetrics });
  kernel.hooks.backgroundTask.call((kind, idPrefix) => tasks.define(kind, idPrefix));
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
