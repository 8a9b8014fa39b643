/** Which kind of signature a request carries. */
import { findHeaderSignature } from './v4-header.js';
import { findQuerySignature } from './v4-query.js';
import { findV2Header, findV2Query } from './v2.js';
import { findTimestampSignature } from './v2-timestamp.js';
import type { PresentedSignature, SignedRequest } from './request.js';

const kinds: readonly ((request: SignedRequest) => PresentedSignature | undefined)[] = [
  findHeaderSignature,
  findQuerySignature,
  findV2Header,
  findV2Query,
  findTimestampSignature,
];

/** First kind that is present. @throws S3Error when it is present and malformed. */
export function findSignature(request: SignedRequest): PresentedSignature | undefined {
  for (const find of kinds) {
    const found = find(request);
    if (found) return found;
  }
  return undefined;
}
