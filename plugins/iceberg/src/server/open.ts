/** Puts the parts of the catalog together. */
import { BranchCommits } from './branch-commits.js';
import { TemporaryKeys } from './credentials.js';
import { Door } from './door.js';
import { collectTableFiles } from './garbage/collect-table-files.js';
import { IdempotentRequests } from './idempotency.js';
import { mergeTableObjects } from './merge/table-conflict.js';
import { Namespaces } from './namespaces.js';
import { CatalogExchange } from './remotes/exchange.js';
import { catalogTables } from './scan/catalog-tables.js';
import { TableFiles } from './storage/table-files.js';
import { StoreAccess } from './store-access.js';
import { SystemTables } from './system/system-tables.js';
import { Tables } from './tables.js';
import { Views } from './views/views.js';
import type { Engine, FileCollection, ObjectConflict } from '@srv/engine/contract';
import type { Activity, Identity, KvStore, Logger } from '@srv/kernel';
import type { SystemTable } from '@srv/lib-records/tables/system-tables';
import type { BlockStore } from '@srv/lib-stores/block';
import type { ConfiguredRemote } from '../remote-list.js';
import type { Locations } from './storage/table-files.js';

interface CatalogOptions {
  readonly engine: Engine;
  readonly identity: Identity;
  readonly block: BlockStore;
  /** Secret of the installation. */
  readonly signingKey: string;
  /** Milliseconds. */
  readonly tokenDuration: number;
  readonly count: (activity: Activity) => void;
  readonly kv: KvStore;
  readonly log: Logger;
  /** Of other plugins, by name. */
  readonly offeredTables: () => Readonly<Record<string, SystemTable>>;
  readonly remotes: readonly ConfiguredRemote[];
  /** Whether each change is committed to its branch. */
  readonly commitsEach: boolean;
  /** Of new tables. */
  readonly locations: Locations;
}

export function openCatalog({ block, offeredTables, signingKey, kv, log, commitsEach, remotes, locations, ...options }: CatalogOptions) {
  const { engine, identity } = options;
  const namespaces = new Namespaces(engine);
  const files = new TableFiles(block);
  const tables = new Tables({ engine, namespaces, files, locations, log });
  const views = new Views(namespaces, files);
  const keys = new TemporaryKeys(signingKey, identity);
  const commits = new BranchCommits({ engine, log, isEach: commitsEach });
  const requests = new IdempotentRequests(kv, signingKey, log);
  const mergeObject = (conflict: ObjectConflict) => mergeTableObjects(conflict, { engine, files });
  const collectFiles = (collection: FileCollection) => collectTableFiles(collection, { engine, block, files });
  return {
    close: () => requests.stop(),
    keys,
    namespaces,
    tables,
    catalogTables: catalogTables({ engine, files, tables }),
    exchange: new CatalogExchange({ remotes, tables, namespaces }),
    mergeObject,
    collectFiles,
    door: new Door({
      ...options,
      namespaces,
      tables,
      systemTables: new SystemTables({ engine, files, offered: offeredTables }),
      views,
      keys,
      storeAccess: new StoreAccess(block),
      commits,
      requests,
    }),
  };
}
