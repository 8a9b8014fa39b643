/** What a handler knows about the request besides its input. */
import type { AuthService } from '@srv/auth/contract';
import type { Catalog } from '@srv/catalog/contract';
import type { Imports } from '@srv/import/contract';
import type { BlockStore, Decision, Logger, Permission, User } from '@srv/kernel';

/** Facts of this server that answers depend on. */
export interface ServerFacts {
  readonly version: string;
  /** Offered when a repository is created from the web page; absent: the driver's. */
  readonly defaultNamespacePrefix?: string;
  /** False: repositories stay in the server's region. */
  readonly allowInterRegionStorage: boolean;
  /** Signs physical addresses. */
  readonly signingKey: string;
  /** Whether action files of repositories are run. */
  readonly runsActions: () => boolean;
}

export interface OperationContext {
  readonly catalog: Catalog;
  /** Absent: no plugin imports. */
  readonly imports: Imports | undefined;
  readonly auth: AuthService;
  readonly block: BlockStore;
  readonly facts: ServerFacts;
  readonly log: Logger;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether the caller reached us, or the proxy before us, by HTTPS. */
  readonly secure: boolean;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
  /** Absent only in operations of access `public` and `anyone`. */
  readonly caller: User | undefined;
  /** The caller. @throws SrvError `unauthenticated` when there is none. */
  readonly user: User;
  /** Name that goes into commits: the e-mail address, if there is one. */
  readonly committer: string;
  /** Asks about a further permission. */
  readonly decide: (permission: Permission) => Promise<Decision>;
  /** Status and text of an error, for answers about several items. */
  readonly describe: (error: unknown) => { readonly status: number; readonly message: string };
}
