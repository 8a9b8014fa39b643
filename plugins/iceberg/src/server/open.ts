/** Puts the parts of the catalog together. */
import { TemporaryKeys } from './credentials.js';
import { Door } from './door.js';
import { Namespaces } from './namespaces.js';
import { TableFiles } from './storage/table-files.js';
import { Tables } from './tables.js';
import type { Engine } from '@srv/engine/contract';
import type { Activity, Identity } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';

interface CatalogOptions {
  readonly engine: Engine;
  readonly identity: Identity;
  readonly block: BlockStore;
  /** Secret of the installation. */
  readonly signingKey: string;
  /** Milliseconds. */
  readonly tokenDuration: number;
  readonly count: (activity: Activity) => void;
}

export function openCatalog({ block, signingKey, ...options }: CatalogOptions) {
  const { engine, identity } = options;
  const namespaces = new Namespaces(engine);
  const tables = new Tables(namespaces, new TableFiles(block));
  const keys = new TemporaryKeys(signingKey, identity);
  return { keys, namespaces, tables, door: new Door({ ...options, namespaces, tables, keys }) };
}
