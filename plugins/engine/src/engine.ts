/** The engine as a service: puts its parts together. */

import { namespaceOf } from '@srv/lib-stores/block';
import { createBackground } from './objects/background.js';
import { createObjectCopies } from './objects/object-copy.js';
import { createObjectDeletes } from './objects/object-deletes.js';
import { createObjectReads } from './objects/object-reads.js';
import { createObjectWrites } from './objects/object-writes.js';
import { pinningOwners } from './objects/owner-pins.js';
import { createPages } from './objects/pages.js';
import { createRepositories } from './objects/repositories.js';
import { createRepositoryPlaces } from './objects/repository-places.js';
import { createStorageMoves } from './objects/storage-move/storage-moves.js';
import { createSymlinks } from './objects/symlinks.js';
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Engine } from './contract.js';
import type { EngineHooks } from './hooks.js';
import type { AddressProvider } from './objects/addresses.js';
import type { NamespaceClaims } from './objects/namespace-claims.js';
import type { MoveRecords } from './objects/storage-move/move-record.js';
import type { Tasks } from './objects/tasks.js';
import type { Refs } from './refs/service.js';
import type { CommittedStore } from './tables/contract.js';

interface EngineOptions {
  readonly refs: Refs;
  readonly tables: CommittedStore;
  readonly block: BlockStore;
  readonly tasks: Tasks;
  readonly log: Logger;
  readonly addresses: AddressProvider;
  readonly hooks: EngineHooks;
  /** `graveler.ensure_readable_root_namespace` */
  readonly checkRootNamespace: boolean;
  readonly moves: MoveRecords;
  readonly claims: NamespaceClaims;
  /** Milliseconds until every server has read a repository that changed. */
  readonly noticeMs: number;
}

export function createEngine({ moves, claims, noticeMs, checkRootNamespace, ...parts }: EngineOptions): Engine {
  const { tables, block, tasks, log, addresses, hooks } = parts;
  const places = createRepositoryPlaces({ refs: parts.refs, moves, block });
  const refs = { ...parts.refs, withPins: pinningOwners(parts.refs, places.repositoriesTouching) };
  const pages = createPages({ refs, tables, block });
  return {
    ...refs,
    ...places,
    ...createRepositories({ refs, moves, claims, tables, block, log, checkRootNamespace }),
    ...createStorageMoves({ refs, tables, block, moves, tasks, log, noticeMs, checkRootNamespace }),
    ...createObjectReads({ refs, block }),
    ...createObjectWrites({ refs, block, log, addresses }),
    ...createObjectCopies({ refs, block, log, addresses }),
    ...createObjectDeletes({ refs, block }),
    ...pages,
    ...createBackground({ refs, tables, block }, tasks),
    async createSymlinks(name, branch, location) {
      const repository = await refs.getRepository(name);
      await refs.getBranch(repository, branch);
      const address = await createSymlinks(repository, branch, location, { block, list: pages.list });
      await refs.requireUnmoved(repository);
      return address;
    },
    allocateAddress: () => addresses.next(),
    metadataLocation: async (name, id) => tables.location(namespaceOf(await refs.getRepository(name)), id),
    openMetadata: async (name, kind, id) => tables.open(namespaceOf(await refs.getRepository(name)), kind, id),
    tables,
    hooks,
  };
}
