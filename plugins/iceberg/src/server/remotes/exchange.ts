/** Pushes tables to other catalogs, and pulls tables from them: pointers only, files stay where they are. */
import { SrvError } from '@srv/kernel';
import { GlueCatalog } from './glue-catalog.js';
import { RestCatalog } from './rest-catalog.js';
import type { ConfiguredRemote } from '../../remote-list.js';
import type { TablePlace } from '../names.js';
import type { DemandCreation, Namespaces } from '../namespaces.js';
import type { LoadedTable, Tables } from '../tables.js';
import type { RemoteCatalog, RemoteTable } from './remote-catalog.js';

interface ExchangeOptions {
  readonly remotes: readonly ConfiguredRemote[];
  readonly tables: Tables;
  readonly namespaces: Namespaces;
}

interface ExchangeRequest {
  /** Id of the other catalog. */
  readonly remote: string;
  readonly here: TablePlace;
  readonly there: RemoteTable;
  /** Replaces a table of the name. */
  readonly force: boolean;
  /** Creates the namespace where it is missing. */
  readonly createsNamespace: boolean;
}

export class CatalogExchange {
  readonly #options: ExchangeOptions;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** The other catalog gets the metadata file that the table has here. @throws SrvError, CatalogError. */
  async push({ remote, here, there, force, createsNamespace }: ExchangeRequest): Promise<void> {
    const catalog = this.#catalog(remote);
    const { location = '', metadata } = await this.#options.tables.load(here);
    await catalog.register({ ...there, location, metadata, force, createsNamespace });
  }

  /** The branch gets the metadata file that the table has there. @param demand of namespaces. @throws SrvError, CatalogError. */
  async pull({ remote, here, there, force, createsNamespace }: ExchangeRequest, demand: DemandCreation): Promise<LoadedTable> {
    const { tables, namespaces } = this.#options;
    const location = await this.#catalog(remote).locationOf(there);
    if (createsNamespace) await namespaces.ensure(here, demand);
    return tables.register(here, location, { overwrite: force, rewrite: false });
  }

  /** @throws SrvError `not_found`. */
  #catalog(id: string): RemoteCatalog {
    const { remotes } = this.#options;
    const remote = remotes.find(known => known.id === id);
    if (!remote)
      throw new SrvError(
        'not_found',
        `iceberg_catalog.remotes has no catalog ${id}; it has ${remotes.map(known => known.id).join(', ') || 'none'}`,
      );
    return remote.type === 'rest' ? new RestCatalog(remote) : new GlueCatalog(remote);
  }
}
