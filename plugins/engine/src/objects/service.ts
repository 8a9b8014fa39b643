/** The catalog as a service: puts its parts together. */
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { CommittedStore } from '../tables/contract.js';
import type { Versioning } from '../refs/contract.js';
import type { Catalog } from './contract.js';
import { AddressProvider } from './addresses.js';
import { createBackground } from './background.js';
import { createObjects } from './objects.js';
import { createPages } from './pages.js';
import { createReferences } from './references.js';
import { createRepositories } from './repositories.js';
import { createSymlinks } from './symlinks.js';
import type { Tasks } from './tasks.js';

interface CatalogOptions {
  readonly versioning: Versioning;
  readonly committed: CommittedStore;
  readonly block: BlockStore;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** `graveler.ensure_readable_root_namespace` */
  readonly checkRootNamespace: boolean;
}

export function createCatalog({ versioning, committed, block, tasks, log, checkRootNamespace }: CatalogOptions): Catalog {
  const addresses = new AddressProvider();
  const pages = createPages({ versioning, committed, block });
  return {
    ...createRepositories({ versioning, committed, block, log, checkRootNamespace }),
    ...createReferences(versioning),
    ...createObjects({ versioning, block, log, addresses }),
    ...pages,
    ...createBackground({ versioning, committed, block }, tasks),
    async createSymlinks(id, branch, location) {
      const repository = await versioning.getRepository(id);
      await versioning.getBranch(repository, branch);
      return createSymlinks(repository, branch, location, { block, list: pages.list });
    },
    allocateAddress: () => addresses.next(),
    async metadataLocation(id, tableId) {
      return committed.location((await versioning.getRepository(id)).storageNamespace, tableId);
    },
    openMetadata: async (id, kind, tableId) => committed.open((await versioning.getRepository(id)).storageNamespace, kind, tableId),
  };
}
