/** Facts of this server that answers depend on. A face that serves operations provides them as the service `api`. */
import type { Activity, ReleaseFacts } from '@srv/kernel';

export interface ServerFacts {
  readonly version: string;
  /** The version, and what plugins know about newer ones. */
  readonly release: () => ReleaseFacts;
  /** Counts something that happened, for statistics and usage reports. */
  readonly count: (activity: Activity) => void;
  /** Offered when a repository is created from the web page; absent: the driver's. */
  readonly defaultNamespacePrefix?: string | undefined;
  /** False: repositories stay in the server's region. */
  readonly allowInterRegionStorage: boolean;
  /** Signs physical addresses. */
  readonly signingKey: string;
  /** Whether action files of repositories are run. */
  readonly runsActions: () => boolean;
}

/** A page, by its address, that shows objects of some kinds in the web page. */
export interface CustomViewer {
  readonly name: string;
  readonly url: string;
  /** Without a dot. */
  readonly extensions: readonly string[];
  readonly content_types: readonly string[];
}

/** Metadata that the web page asks for with every commit. */
export interface CommitField {
  readonly key: string;
  /** In place of the key. */
  readonly label?: string;
  readonly kind: 'text' | 'date';
  readonly required: boolean;
  /** The values to choose from; empty: any. */
  readonly values: readonly string[];
}

declare module '@srv/kernel' {
  interface Services {
    api: ServerFacts;
    /** Only where a plugin runs queries: whether what it needs is installed. */
    canQuery: () => boolean;
    /** Only where there is a web page. */
    commitFields: readonly CommitField[];
    /** Only where there is a web page. */
    customViewers: readonly CustomViewer[];
  }
}
