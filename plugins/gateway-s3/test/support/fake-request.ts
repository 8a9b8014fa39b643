/** Requests to sign and to verify, without a server. */
import { HeaderLines } from '../../src/server/protocol/headers.js';
import { Query } from '../../src/server/protocol/query.js';
import type { SignedRequest } from '../../src/server/signature/request.js';

export interface Parts {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly hostRepository?: string;
}

export function signedRequest({ method = 'GET', path = '/', query = '', headers, hostRepository }: Parts): SignedRequest {
  return {
    method,
    path,
    query: new Query(query),
    headers: new HeaderLines(Object.entries(headers).flat()),
    hostRepository,
  };
}
