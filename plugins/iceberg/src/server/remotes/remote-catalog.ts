/** Another catalog, as pushes and pulls use it. */
import type { TableMetadata } from '../metadata/model.js';

export interface RemoteTable {
  readonly namespace: readonly string[];
  readonly table: string;
}

export interface RemoteRegistration extends RemoteTable {
  /** Address of the metadata file. */
  readonly location: string;
  readonly metadata: TableMetadata;
  /** Replaces a table of the name. */
  readonly force: boolean;
  /** Creates the namespace where it is missing. */
  readonly createsNamespace: boolean;
}

export interface RemoteCatalog {
  /** Address of the metadata file of a table. @throws SrvError `not_found`. */
  locationOf(table: RemoteTable): Promise<string>;
  /** @throws SrvError `not_unique` for a table that exists, unless forced; `not_found` without the namespace. */
  register(registration: RemoteRegistration): Promise<void>;
}
