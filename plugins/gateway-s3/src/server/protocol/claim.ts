/** Which requests are the gateway's. */
import { matchHost, splitUri } from './address.js';
import type { Query } from './query.js';

interface ClaimFacts {
  readonly host: string;
  readonly authorization?: string | undefined;
  /** The header of that name, which some proxies set. */
  readonly signature?: string | undefined;
  readonly query: Query;
  /** Whether it is a form that is posted to a bucket, or to something that could be one. */
  readonly isForm?: boolean;
  /** Names of headers a browser wants to send, when it asks beforehand. */
  readonly announced?: string | undefined;
}

const signedQuery = ['X-Amz-Credential', 'AWSAccessKeyId'];

/** Headers that only signed requests have. */
const signedHeaders = /(^|[\s,])x-amz-(date|content-sha256)([\s,]|$)/i;

/**
 * Whether a request may upload by a form: its credentials are in its body. No other face takes such a form at a path of one part.
 * @param url of the request line.
 */
export function mayBeUploadForm(method: string | undefined, url: string, contentType = ''): boolean {
  if (method !== 'POST' || !/^multipart\/form-data\b/i.test(contentType)) return false;
  return /^\/[a-z0-9][a-z0-9-]{2,62}\/?$/.test(splitUri(url).path);
}

/** By host name, or by any kind of AWS signature: one that is there, or one that a browser announces. */
export function isGatewayRequest(
  { host, authorization = '', signature, query, announced = '', isForm = false }: ClaimFacts,
  domains: readonly string[],
): boolean {
  if (matchHost(host, domains).known || isForm) return true;
  if (signature || authorization.startsWith('AWS4') || authorization.startsWith('AWS ')) return true;
  if (signedHeaders.test(announced)) return true;
  // Most requests of other faces end here: the query is only taken apart when it can hold one of the names.
  return /amz-credential|awsaccesskeyid/i.test(query.raw) && signedQuery.some(name => query.text(name) !== undefined);
}
