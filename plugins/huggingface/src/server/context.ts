/** What a route works with. */
import type { IncomingMessage } from 'node:http';
import type { Engine } from '@srv/engine/contract';
import type { HttpResponse, HttpService } from '@srv/http/contract';
import type { Activity, Identity, KvStore, Logger, ServiceRegistry } from '@srv/kernel';
import type { AnyOperation } from '@srv/lib-api';
import type { FaceRequest } from '@srv/lib-api/http';
import type { BlockStore } from '@srv/lib-stores/block';
import type { HubRepo, Names } from './address.js';
import type { Uploads } from './lfs/record.js';

export interface HubParts {
  readonly services: Pick<ServiceRegistry, 'get' | 'find'>;
  readonly engine: Engine;
  readonly identity: Identity;
  readonly block: BlockStore;
  readonly kv: KvStore;
  readonly http: HttpService;
  readonly log: Logger;
  /** Of the HTTP API. */
  readonly operations: readonly AnyOperation[];
  /** For statistics and usage reports. */
  readonly count: (activity: Activity) => void;
  /** `huggingface.namespace`. */
  readonly namespace: string;
  /** `huggingface.large_files`. */
  readonly largeFiles: string;
}

export interface HubContext extends HubParts {
  readonly face: FaceRequest;
  readonly names: Names;
  readonly uploads: Uploads;
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  /** Where the client believes to be, such as `http://127.0.0.1:8000`. */
  readonly origin: string;
}

/** A request about a repository. */
export interface RepoContext extends HubContext {
  readonly repo: HubRepo;
  /** Decoded segments after the route's own. */
  readonly rest: readonly string[];
}

export type Route = (context: HubContext) => Promise<HttpResponse>;
export type RepoRoute = (context: RepoContext) => Promise<HttpResponse>;
