/** Which pages and hosts may use the endpoint: a page of another site must not reach a server on the machine of its reader. */
import { RpcError, codes } from './errors.js';
import type { IncomingHttpHeaders } from 'node:http';

interface OriginRules {
  /** Of pages, in addition to the own one. */
  readonly origins: readonly string[];
  /** Names of this server, in addition to those of the loopback interface. */
  readonly hosts: readonly string[];
  /** The server listens on the loopback interface alone. */
  readonly isLocal: boolean;
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** @returns the origin that a page may read the answer with; `undefined` without one. @throws RpcError 403. */
export function checkOrigin(headers: IncomingHttpHeaders, { origins, hosts, isLocal }: OriginRules): string | undefined {
  const host = headers.host ?? '';
  const name = host.replace(/:\d*$/, '').toLowerCase();
  if (isLocal && ![...loopback, ...hosts.map(known => known.toLowerCase())].includes(name))
    throw new RpcError(codes.request, `the host ${name} is not a name of this server; add it to mcp.allowed_hosts`, { status: 403 });
  const { origin } = headers;
  if (origin === undefined) return undefined;
  const isOwn = URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
  if (isOwn || origins.includes(origin)) return origin;
  throw new RpcError(codes.request, `pages of ${origin} may not use this server; add it to mcp.allowed_origins`, { status: 403 });
}

/** Headers of an answer that a page of that origin may read. */
export function crossOriginHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  return origin === undefined
    ? {}
    : { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': 'Mcp-Session-Id', Vary: 'Origin' };
}

export const preflightHeaders = {
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-MCP-Readonly',
  'Access-Control-Max-Age': '600',
};
