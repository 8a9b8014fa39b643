/** Facts of this server that answers depend on; `api` provides them as a service. */

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

declare module '@srv/kernel' {
  interface Services {
    api: ServerFacts;
  }
}
