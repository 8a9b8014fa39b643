/** The catalog as operations and other plugins see it. */
import type { Namespaces } from './server/namespaces.js';
import type { CatalogExchange } from './server/remotes/exchange.js';
import type { Tables } from './server/tables.js';

export interface Catalog {
  readonly namespaces: Namespaces;
  readonly tables: Tables;
  readonly exchange: CatalogExchange;
}

export interface CatalogService {
  /** Loads the catalog at the first call. */
  open(): Promise<Catalog>;
}

declare module '@srv/kernel' {
  interface Services {
    iceberg: CatalogService;
  }
}
