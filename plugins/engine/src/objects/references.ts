/** Branches, tags and commits by name of their repository. */
import { pathKey } from '@srv/lib-records';
import type { Repository, Versioning } from '../refs/contract.js';
import type { Catalog } from './contract.js';

type References = Pick<
  Catalog,
  | 'createBranch'
  | 'getBranch'
  | 'listBranches'
  | 'deleteBranch'
  | 'resetBranch'
  | 'hardResetBranch'
  | 'createTag'
  | 'getTag'
  | 'listTags'
  | 'deleteTag'
  | 'commit'
  | 'getCommit'
  | 'createCommitRecord'
  | 'log'
  | 'merge'
  | 'findMergeBase'
  | 'revert'
  | 'cherryPick'
>;

export function createReferences(versioning: Versioning): References {
  const repositoryOf = (id: string): Promise<Repository> => versioning.getRepository(id);
  return {
    createBranch: async (id, branch, source, options) => versioning.createBranch(await repositoryOf(id), branch, source, options),
    getBranch: async (id, branch) => versioning.getBranch(await repositoryOf(id), branch),
    listBranches: async (id, request) => versioning.listBranches(await repositoryOf(id), request),
    deleteBranch: async (id, branch, options) => versioning.deleteBranch(await repositoryOf(id), branch, options),
    async resetBranch(id, branch, scope, options) {
      const target =
        scope.type === 'all'
          ? 'all'
          : scope.type === 'object'
            ? { key: pathKey(scope.path) }
            : { prefix: Buffer.from(scope.prefix, 'utf8') };
      await versioning.reset(await repositoryOf(id), branch, target, options);
    },
    hardResetBranch: async (id, branch, ref, options) => versioning.hardReset(await repositoryOf(id), branch, ref, options),

    createTag: async (id, tag, ref, options) => versioning.createTag(await repositoryOf(id), tag, ref, options),
    getTag: async (id, tag) => versioning.getTag(await repositoryOf(id), tag),
    listTags: async (id, request) => versioning.listTags(await repositoryOf(id), request),
    deleteTag: async (id, tag, options) => versioning.deleteTag(await repositoryOf(id), tag, options),

    commit: async (id, branch, request) => versioning.commit(await repositoryOf(id), branch, request),
    getCommit: async (id, ref) => versioning.resolveCommit(await repositoryOf(id), ref),
    log: async (id, ref, request) => versioning.log(await repositoryOf(id), ref, request),
    merge: async (id, source, destination, request) => (await versioning.merge(await repositoryOf(id), source, destination, request)).id,
    findMergeBase: async (id, source, destination) => versioning.mergeBase(await repositoryOf(id), source, destination),
    revert: async (id, branch, request) => versioning.revert(await repositoryOf(id), branch, request),
    cherryPick: async (id, branch, request) => versioning.cherryPick(await repositoryOf(id), branch, request),

    createCommitRecord: async (id, commit, options) => versioning.createCommitRecord(await repositoryOf(id), commit, options),
  };
}
