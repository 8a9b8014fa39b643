/** Which kind of signature a request carries. */

import { findV2Header, findV2Query } from './v2.js';
import { findTimestampSignature } from './v2-timestamp.js';
import { findHeaderSignature } from './v4-header.js';
import { findQuerySignature } from './v4-query.js';
import type { PresentedSignature, SignedRequest } from './request.js';

/** In the order in which they are looked for. */
export const signatureKinds = {
  'version 4 header': findHeaderSignature,
  'version 4 query': findQuerySignature,
  'version 2 header': findV2Header,
  'version 2 query': findV2Query,
  'timestamp query': findTimestampSignature,
} as const satisfies Readonly<Record<string, (request: SignedRequest) => PresentedSignature | undefined>>;

export type SignatureKind = keyof typeof signatureKinds;

/**
 * Whether headers may be given in the query: only URLs of version 4 carry headers there and sign all of them.
 * @param signature that was verified; a parameter of the request alone does not show what is signed.
 */
export function mayHoist(signature: SignatureKind | undefined): boolean {
  return signature === 'version 4 query';
}

/** A signature, and what kind it is of: the kinds cover different parts of a request. */
export interface FoundSignature extends PresentedSignature {
  readonly kind: SignatureKind;
}

/** First kind that is present. @throws S3Error when it is present and malformed. */
export function findSignature(request: SignedRequest): FoundSignature | undefined {
  for (const [kind, find] of Object.entries(signatureKinds)) {
    const found = find(request);
    if (found) return { ...found, kind: kind as SignatureKind };
  }
  return undefined;
}
