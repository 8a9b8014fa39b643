/** Facts of this server that answers depend on; `api` provides them as a service. */

import type { Activity, ReleaseFacts } from '@srv/kernel';

export interface ServerFacts {
  readonly version: string;
  /** The version, and what plugins know about newer ones. */
  readonly release: () => ReleaseFacts;
  /** Counts something that happened, for statistics and usage reports. */
  readonly count: (activity: Activity) => void;
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
