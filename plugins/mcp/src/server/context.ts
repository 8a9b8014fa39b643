/** What a request to the protocol works with. */
import type { Engine } from '@srv/engine/contract';
import type { HttpService } from '@srv/http/contract';
import type { Activity, Identity, KvStore, Logger, ServiceRegistry } from '@srv/kernel';
import type { AnyOperation } from '@srv/lib-api';
import type { FaceRequest } from '@srv/lib-api/http';
import type { OwnBranches } from './own-branches.js';
import type { Report } from './protocol/progress.js';

interface McpSettings {
  readonly write: string;
  /** Of an object that an agent writes. */
  readonly maxBytes: number;
  readonly origins: readonly string[];
  readonly hosts: readonly string[];
}

export interface McpParts {
  readonly services: Pick<ServiceRegistry, 'get' | 'find'>;
  readonly engine: Engine;
  readonly identity: Identity;
  readonly kv: KvStore;
  readonly http: HttpService;
  readonly log: Logger;
  /** Of the HTTP API, those of other plugins included. */
  readonly operations: readonly AnyOperation[];
  /** For statistics and usage reports. */
  readonly count: (activity: Activity) => void;
  /** Of this program. */
  readonly version: string;
  readonly settings: McpSettings;
}

export interface McpContext extends McpParts {
  readonly face: FaceRequest;
  readonly own: OwnBranches;
  /** Aborted when the caller leaves, or cancels the request. */
  readonly signal: AbortSignal;
  /** Says what is being done, to a client that wants to know. */
  readonly report: Report;
  /** The client wants no tools that write. */
  readonly isReadOnly: boolean;
  /** Where the client believes to be, such as `http://127.0.0.1:8000`. */
  readonly origin: string;
}
