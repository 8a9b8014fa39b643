/** Long operations as tasks; refs dump and restore. */
import { checkWritable } from '@srv/lib-records';
import { decodeCommit, encodeCommit } from '../refs/messages/index.js';
import { decodeMergeResult, decodeRefsDump, encodeMergeResult, encodeRefsDump } from './messages/refs-dump.js';
import { dumpRefs } from './refs-dump.js';
import { requireBare, restoreRefs } from './refs-restore.js';
import type { Engine } from '../contract.js';
import type { Forceable, Repository, RepositoryName } from '../refs/contract.js';
import type { RefsDump } from './contract.js';
import type { RefsDumpSources } from './refs-dump.js';
import type { Tasks } from './tasks.js';

const noProgress = (): Promise<void> => Promise.resolve();

export function createBackground(stores: RefsDumpSources, tasks: Tasks) {
  const { refs } = stores;
  const repositoryOf = (name: RepositoryName): Promise<Repository> => refs.getRepository(name);

  async function restorable(id: RepositoryName, dump: RefsDump, { force = false }: Forceable = {}): Promise<Repository> {
    const repository = await repositoryOf(id);
    checkWritable(repository, { force });
    await requireBare(repository, dump, stores);
    return repository;
  }

  return {
    async submitCommit(id, branch, request) {
      const repository = await repositoryOf(id);
      await refs.getBranch(repository, branch);
      return tasks.submit(repository, 'commit_async', async (_, signal) =>
        encodeCommit(await refs.commit(repository, branch, { ...request, signal })),
      );
    },
    async commitStatus(id, taskId) {
      const { info, ...task } = await tasks.get(await repositoryOf(id), 'commit_async', taskId);
      return info.length > 0 ? { ...task, commit: decodeCommit(info) } : task;
    },
    async submitMerge(id, source, destination, request) {
      const repository = await repositoryOf(id);
      await Promise.all([refs.getCommit(repository, source), refs.getBranch(repository, destination)]);
      return tasks.submit(repository, 'merge_async', async (_, signal) =>
        encodeMergeResult((await refs.merge(repository, source, destination, { ...request, signal })).id),
      );
    },
    async mergeStatus(id, taskId) {
      const { info, ...task } = await tasks.get(await repositoryOf(id), 'merge_async', taskId);
      return info.length > 0 ? { ...task, reference: decodeMergeResult(info) } : task;
    },

    dumpRefs: async id => dumpRefs(await repositoryOf(id), stores, noProgress),
    async submitDump(id) {
      const repository = await repositoryOf(id);
      return tasks.submit(repository, 'dump_refs', async (progress, signal) =>
        encodeRefsDump(await dumpRefs(repository, stores, progress, signal)),
      );
    },
    async dumpStatus(id, taskId) {
      const { info, ...task } = await tasks.get(await repositoryOf(id), 'dump_refs', taskId);
      return info.length > 0 ? { ...task, refs: decodeRefsDump(info) } : task;
    },
    async restoreRefs(id, dump, options) {
      const repository = await restorable(id, dump, options);
      await restoreRefs(repository, dump, stores, noProgress);
    },
    async submitRestore(id, dump, options) {
      const repository = await restorable(id, dump, options);
      return tasks.submit(repository, 'restore_refs', async progress => {
        await restoreRefs(repository, dump, stores, progress);
        return Buffer.alloc(0);
      });
    },
    async restoreStatus(id, taskId) {
      const { info: _, ...task } = await tasks.get(await repositoryOf(id), 'restore_refs', taskId);
      return task;
    },
  } satisfies Partial<Engine>;
}
