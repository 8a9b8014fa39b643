import { noopMetrics } from '@srv/kernel/metrics';
import { DailyCleaner, workThrough } from '@srv/lib-records';
import { createEngine } from '../engine.js';
import section from '../objects/config.js';
import { NamespaceClaims } from '../objects/namespace-claims.js';
import { ContinuedMoves } from '../objects/storage-move/continued-moves.js';
import { MoveRecords } from '../objects/storage-move/move-record.js';
import { Tasks } from '../objects/tasks.js';
import refsSection from '../refs/config.js';
import type { PluginKernel } from '@srv/kernel';
import type { Engine } from '../contract.js';
import type { EngineHooks } from '../hooks.js';
import type { AddressProvider } from '../objects/addresses.js';
import type { Repository } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';
import type { CommittedStore } from '../tables/contract.js';

export interface RunningObjects {
  readonly engine: Engine;
  readonly cleaner: DailyCleaner<Repository>;
  readonly moves: ContinuedMoves;
  readonly tasks: Tasks;
}

interface ObjectParts {
  readonly refs: Refs;
  readonly tables: CommittedStore;
  readonly addresses: AddressProvider;
  readonly hooks: EngineHooks;
}

/** Opens objects and tasks and provides the services `engine` and `tasks`. */
export function startObjects(kernel: PluginKernel, { refs, ...parts }: ObjectParts): RunningObjects {
  const values = kernel.config.values(section.keys);
  const cached = kernel.config.values(refsSection.keys);
  const log = kernel.log;
  const kv = kernel.services.get('kv');
  const tasks = new Tasks({ kv, log, metrics: kernel.services.find('metrics') ?? noopMetrics });
  kernel.hooks.backgroundTask.call((kind, idPrefix) => tasks.define(kind, idPrefix));
  const [moves, claims] = [new MoveRecords(kv), new NamespaceClaims(kv)];
  kernel.hooks.repositoryDeleted.tapPromise('engine', async repository => {
    await moves.forget(repository);
    await claims.end(repository.id);
  });
  const engine = createEngine({
    refs,
    moves,
    claims,
    ...parts,
    block: kernel.services.get('block'),
    tasks,
    log,
    checkRootNamespace: values['graveler.ensure_readable_root_namespace'],
    noticeMs: cached['graveler.reposiory_cache.ttl'] + cached['graveler.reposiory_cache.jitter'],
  });
  const clean = async (repository: Repository): Promise<void> => {
    await workThrough([() => tasks.clean(repository), () => refs.pruneBranchLog(repository)], work => work());
  };
  const cleaner = new DailyCleaner({ engine, log, what: 'tasks and logs of branches', clean });
  kernel.services.provide('engine', engine);
  kernel.services.provide('tasks', tasks);
  return { engine, cleaner, moves: new ContinuedMoves({ engine, log }), tasks };
}
