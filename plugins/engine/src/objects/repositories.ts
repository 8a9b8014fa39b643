/** Repositories and their metadata. */

import { SrvError, isSrvError } from '@srv/kernel';
import { checkBranchId, checkRepositoryId, checkWritable, pageSize } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import { checkNamespaceForm, checkOverlap, checkStorageId, claimNamespace } from './namespace-check.js';
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Engine } from '../contract.js';
import type { Repository, RepositoryName } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';
import type { CommittedStore } from '../tables/contract.js';
import type { RepositoryListRequest } from './contract.js';
import type { NamespaceClaims } from './namespace-claims.js';
import type { MoveRecords } from './storage-move/move-record.js';

interface RepositoriesOptions {
  readonly refs: Refs;
  readonly moves: Pick<MoveRecords, 'targets'>;
  readonly claims: NamespaceClaims;
  readonly tables: Pick<CommittedStore, 'folderForNew'>;
  readonly block: BlockStore;
  readonly log: Logger;
  readonly checkRootNamespace: boolean;
}

const defaultBranch = 'main';

export function createRepositories({ refs, moves, claims, tables, block, log, checkRootNamespace }: RepositoriesOptions) {
  const repositoryOf = (name: RepositoryName): Promise<Repository> => refs.getRepository(name);

  async function writable(id: RepositoryName): Promise<Repository> {
    const repository = await repositoryOf(id);
    checkWritable(repository);
    return repository;
  }

  async function* matching({ prefix = '', after = '', search = '', visible = () => true }: RepositoryListRequest) {
    for await (const repository of refs.repositories(after > prefix ? after : prefix)) {
      if (!repository.id.startsWith(prefix)) return;
      if (repository.id !== after && repository.id.includes(search) && (await visible(repository))) yield repository;
    }
  }

  /** Marks a namespace as taken, so that the same creation can be repeated if it breaks off. */
  async function claim(id: string, namespace: string): Promise<void> {
    for (const taken of [refs.repositories(''), moves.targets()]) await checkOverlap(block, namespace, taken);
    const prefix = await tables.folderForNew();
    await claimNamespace(namespace, { block, log, prefix, checkRoot: checkRootNamespace, reservation: claims.of(id, namespace) });
  }

  return {
    async createRepository({ id, storageNamespace, storageId = '', readOnly = false, bare = false, ...request }) {
      await refuseExisting(refs, id);
      checkStorageId(block, storageId);
      const namespace = namespaceOf({ storageId, storageNamespace });
      checkNamespaceForm(block, namespace);
      const branch = request.defaultBranch || defaultBranch;
      checkRepositoryId(id);
      checkBranchId(branch, 'defaultBranch');
      if (!bare && !readOnly) await claim(id, namespace);
      const created = await refs.addRepository({ id, storageNamespace, storageId, readOnly, bare, defaultBranch: branch });
      // The repository is there, and the claim ends by its time.
      if (!bare && !readOnly) await claims.end(id).catch(() => undefined);
      return created;
    },
    getRepository: repositoryOf,
    async listRepositories({ amount, ...request } = {}) {
      const limit = pageSize(amount);
      const results: Repository[] = [];
      for await (const repository of matching(request)) {
        if (results.length === limit) return { results, hasMore: true, nextOffset: results.at(-1)?.id ?? '' };
        results.push(repository);
      }
      return { results, hasMore: false, nextOffset: '' };
    },
    async countRepositories(request = {}) {
      let total = 0;
      for await (const _ of matching(request)) total++;
      return total;
    },
    async deleteRepository(id, options = {}) {
      await refs.deleteRepository(id, options);
    },
    getRepositoryMetadata: async id => refs.getRepositoryMetadata(await repositoryOf(id)),
    async setRepositoryMetadata(id, metadata) {
      const repository = await writable(id);
      if (Object.keys(metadata).length > 0) await refs.updateRepositoryMetadata(repository, old => ({ ...old, ...metadata }));
    },
    async deleteRepositoryMetadata(id, keys) {
      const repository = await writable(id);
      if (keys.length > 0)
        await refs.updateRepositoryMetadata(repository, old =>
          Object.fromEntries(Object.entries(old).filter(([key]) => !keys.includes(key))),
        );
    },
  } satisfies Partial<Engine>;
}

async function refuseExisting(refs: Refs, id: string): Promise<void> {
  try {
    await refs.getRepository(id);
  } catch (error) {
    if (isSrvError(error, 'not_found')) return;
    if (!isSrvError(error, 'gone')) throw error;
  }
  throw new SrvError('not_unique', 'error creating repository: not unique', { details: { repository: id } });
}
