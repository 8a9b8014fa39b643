/** What an operation gets. */

import type { Engine, Repository } from '@srv/engine/contract';
import type { Identity } from '@srv/kernel';
import type { GatewayRequest } from '@srv/lib-api/http';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Payload } from '../body/payload.js';
import type { HeaderLines } from '../protocol/headers.js';
import type { Query } from '../protocol/query.js';
import type { S3Response } from '../s3-response.js';
import type { SignatureKind } from '../signature/find.js';
import type { UploadTracker } from '../uploads/tracker.js';

export interface GatewaySettings {
  readonly region: string;
  /** Keys of upload listings as `<ref>/<path>` in any case. */
  readonly listUploadsWithRef: boolean;
  /** Tags beside the branches at the top of a bucket. */
  readonly listTags: boolean;
}

/** What operations of this plugin get beside what every tap of `gatewayOperation` does. */
export interface ServiceContext extends Omit<GatewayRequest, 'operation' | 'repository' | 'ref' | 'path'> {
  readonly query: Query;
  readonly headers: HeaderLines;
  /** What kind of signature was verified; absent: other credentials, or the signature of a form. */
  readonly signature: SignatureKind | undefined;
  /** Whether the request announces a body, even an empty one. */
  readonly isFramed: boolean;
  /** Where the client believes to be, such as `http://127.0.0.1:8000`; without the repository of a virtual host. */
  readonly origin: string;
  readonly engine: Engine;
  readonly identity: Identity;
  readonly block: BlockStore;
  readonly uploads: UploadTracker;
  readonly settings: GatewaySettings;
  readonly answer: S3Response;
  /**
   * The body, verified while it is read. Reading it lets a waiting client send it, so reject the request before.
   * @param about what checksums in the headers are of; default: of the body.
   */
  payload(about?: 'body' | 'object'): Payload;
}

export interface BucketContext extends ServiceContext {
  readonly repository: Repository;
}

export interface ObjectContext extends BucketContext {
  readonly ref: string;
  /** 1 to 1024 bytes. */
  readonly path: string;
}
