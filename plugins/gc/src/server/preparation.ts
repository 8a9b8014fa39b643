/** Rules and the preparation for foreign collectors, by name of the repository. */
import { SrvError } from '@srv/kernel';
import { checkWritable } from '@srv/lib-records';
import { refuseOldClient } from '../prepare/client-version.js';
import { locate, prepareCommits } from '../prepare/commits.js';
import { decodePreparation, encodePreparation } from '../prepare/preparation-record.js';
import { prepareUncommitted } from '../prepare/uncommitted.js';
import { etagOf } from '../rules/record.js';
import type { BackgroundTasks, Engine } from '@srv/engine/contract';
import type { GarbageCollection } from '../contract.js';
import type { PrepareSources } from '../prepare/commits.js';
import type { UncommittedSources } from '../prepare/uncommitted.js';

interface PreparationOptions extends PrepareSources, UncommittedSources {
  readonly engine: Engine;
  readonly tasks: BackgroundTasks;
  readonly acceptOldClients: boolean;
}

/** Of the background task. */
export const preparationKind = 'gc_prepare_commits';
export const preparationIdPrefix = 'GC';

type Preparation = Pick<
  GarbageCollection,
  | 'checkClient'
  | 'getRules'
  | 'setRules'
  | 'deleteRules'
  | 'prepareCommits'
  | 'submitPrepareCommits'
  | 'prepareCommitsStatus'
  | 'prepareUncommitted'
>;

export function createPreparation(options: PreparationOptions): Preparation {
  const { engine, tasks, rules } = options;
  return {
    checkClient(name) {
      if (!options.acceptOldClients) refuseOldClient(name);
    },
    async getRules(id) {
      const found = await rules.find(await engine.getRepository(id));
      if (!found)
        throw new SrvError(
          'not_found',
          `repository ${id} has no garbage collection rules: every commit is kept; set rules with gc set-config`,
          {
            details: { repository: id },
          },
        );
      return { rules: found, etag: etagOf(found) };
    },
    setRules: async (id, wanted, ifMatch) => rules.set(await engine.getRepository(id), wanted, ifMatch),
    deleteRules: async id => rules.delete(await engine.getRepository(id)),
    prepareCommits: async id => prepareCommits(await engine.getRepository(id), options),
    async submitPrepareCommits(id) {
      const repository = await engine.getRepository(id);
      checkWritable(repository);
      return tasks.submit(repository, preparationKind, async () => encodePreparation((await prepareCommits(repository, options)).runId));
    },
    async prepareCommitsStatus(id, task) {
      const repository = await engine.getRepository(id);
      const { info, ...state } = await tasks.get(repository, preparationKind, task);
      return info.length > 0 ? { ...state, result: await locate(repository, decodePreparation(info), options) } : state;
    },
    prepareUncommitted: async (id, token) => prepareUncommitted(await engine.getRepository(id), token, options),
  };
}
