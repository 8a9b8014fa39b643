/** Rules and the preparation for foreign collectors, by name of the repository. */
import { SrvError } from '@srv/kernel';
import type { BackgroundTasks } from '@srv/engine/objects';
import type { Versioning } from '@srv/engine/refs';
import type { GarbageCollection } from '../contract.js';
import { refuseOldClient } from '../prepare/client-version.js';
import { locate, prepareCommits } from '../prepare/commits.js';
import type { PrepareSources } from '../prepare/commits.js';
import { decodePreparation, encodePreparation } from '../prepare/preparation-record.js';
import { prepareUncommitted } from '../prepare/uncommitted.js';
import type { UncommittedSources } from '../prepare/uncommitted.js';
import { refuseReadOnly } from '../rules/stored-rules.js';

interface PreparationOptions extends PrepareSources, UncommittedSources {
  readonly versioning: Versioning;
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
  const { versioning, tasks, rules } = options;
  return {
    checkClient(name) {
      if (!options.acceptOldClients) refuseOldClient(name);
    },
    async getRules(id) {
      const found = await rules.find(await versioning.getRepository(id));
      if (!found) throw new SrvError('not_found', 'not found', { details: { repository: id } });
      return found;
    },
    setRules: async (id, wanted) => rules.set(await versioning.getRepository(id), wanted),
    deleteRules: async id => rules.delete(await versioning.getRepository(id)),
    prepareCommits: async id => prepareCommits(await versioning.getRepository(id), options),
    async submitPrepareCommits(id) {
      const repository = await versioning.getRepository(id);
      refuseReadOnly(repository);
      return tasks.submit(repository, preparationKind, async () => encodePreparation((await prepareCommits(repository, options)).runId));
    },
    async prepareCommitsStatus(id, task) {
      const repository = await versioning.getRepository(id);
      const { info, ...state } = await tasks.get(repository, preparationKind, task);
      return info.length > 0 ? { ...state, result: await locate(repository, decodePreparation(info), options) } : state;
    },
    prepareUncommitted: async (id, token) => prepareUncommitted(await versioning.getRepository(id), token, options),
  };
}
