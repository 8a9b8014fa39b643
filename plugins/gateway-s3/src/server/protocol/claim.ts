/** Which requests are the gateway's. */
import { matchHost } from './address.js';
import { Query } from './query.js';

interface ClaimFacts {
  readonly host: string;
  readonly authorization?: string | undefined;
  /** The header of that name, which some proxies set. */
  readonly signature?: string | undefined;
  /** Raw, without `?`. */
  readonly query: string;
  /** Names of headers a browser wants to send, when it asks beforehand. */
  readonly announced?: string | undefined;
}

const signedQuery = ['X-Amz-Credential', 'AWSAccessKeyId'];

/** Headers that only signed requests have. */
const signedHeaders = /(^|[\s,])x-amz-(date|content-sha256)([\s,]|$)/i;

/** By host name, or by any kind of AWS signature: one that is there, or one that a browser announces. */
export function isGatewayRequest(
  { host, authorization = '', signature, query, announced = '' }: ClaimFacts,
  domains: readonly string[],
): boolean {
  if (matchHost(host, domains).known) return true;
  if (signature || authorization.startsWith('AWS4') || authorization.startsWith('AWS ')) return true;
  if (signedHeaders.test(announced)) return true;
  // Most requests of other faces end here: the query is only taken apart when it can hold one of the names.
  if (!/amz-credential|awsaccesskeyid/i.test(query)) return false;
  const names = new Query(query);
  return signedQuery.some(name => names.text(name) !== undefined);
}
