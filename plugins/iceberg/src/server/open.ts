/** Puts the parts of the catalog together. */
import { TemporaryKeys } from './credentials.js';
import { Door } from './door.js';
import { collectTableFiles } from './garbage/collect-table-files.js';
import { mergeTableObjects } from './merge/table-conflict.js';
import { Namespaces } from './namespaces.js';
import { TableFiles } from './storage/table-files.js';
import { Tables } from './tables.js';
import { Views } from './views/views.js';
import type { Engine, FileCollection, ObjectConflict } from '@srv/engine/contract';
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
  const files = new TableFiles(block);
  const tables = new Tables(engine, namespaces, files);
  const views = new Views(namespaces, files);
  const keys = new TemporaryKeys(signingKey, identity);
  const mergeObject = (conflict: ObjectConflict) => mergeTableObjects(conflict, { engine, files });
  const collectFiles = (collection: FileCollection) => collectTableFiles(collection, { engine, block, files });
  return { keys, namespaces, tables, mergeObject, collectFiles, door: new Door({ ...options, namespaces, tables, views, keys }) };
}
