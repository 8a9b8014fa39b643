/** What signatures are computed over. */

import type { ChunkSigner } from '../body/chunks.js';
import type { HeaderLines } from '../protocol/headers.js';
import type { Query } from '../protocol/query.js';

export interface SignedRequest {
  readonly method: string;
  /** Still encoded, as sent. */
  readonly path: string;
  readonly query: Query;
  readonly headers: HeaderLines;
  /** Virtual-host style: the repository in the host name. */
  readonly hostRepository?: string | undefined;
}

/** A signature found in a request. Whose it is decides the secret; the secret decides whether it is right. */
export interface PresentedSignature {
  readonly accessKeyId: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined;
  /**
   * Checks date, signature and age, in this order.
   * @returns what signs the chunks of the body, where the kind of signature can.
   * @throws S3Error with the code that names the reason.
   */
  verify(secret: string, now: Date): ChunkSigner | undefined;
}

/** Milliseconds a request may be older or newer than this server's clock. */
export const allowedSkew = 15 * 60_000;

/** The name of `host` in HTTP/2, which some clients sign. A proxy in between may have made a `host` of it again. */
export const authority = ':authority';
