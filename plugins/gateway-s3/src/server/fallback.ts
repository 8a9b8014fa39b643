/** Requests for repositories we do not have, forwarded as they came. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { cutOff } from '@srv/lib-api/http';
import { S3Error } from './protocol/errors.js';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { RequestUri } from './protocol/address.js';

/** Meant for the connection to us, not for the one to the other server. */
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'te', 'upgrade', 'expect', 'host']);

interface Forwarding {
  readonly url: URL;
  /** Configured domains, in lower case. */
  readonly domains: readonly string[];
}

/** @throws S3Error `ServiceUnavailable` when the other server cannot be reached. */
export async function forward(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { path, query }: RequestUri,
  { url, domains }: Forwarding,
  acceptBody: () => void,
): Promise<void> {
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const merged = [url.search.slice(1), query].filter(part => part !== '').join('&');
  const target = url.pathname.replace(/\/$/, '') + path + (merged === '' ? '' : `?${merged}`);
  const upstream = start({
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port || undefined,
    method: request.method,
    path: target,
    headers: forwardedHeaders(request, url, domains),
  });
  const closed = new Promise<void>(resolve => {
    response.once('close', () => {
      upstream.destroy();
      resolve();
    });
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once('response', resolve);
    upstream.once('error', error => reject(new S3Error('ServiceUnavailable', { cause: error })));
  });
  acceptBody();
  request.pipe(upstream);
  const answer = await answered;
  upstream.on('error', () => cutOff(response));
  answer.on('error', () => cutOff(response));
  response.writeHead(answer.statusCode ?? 502, answerHeaders(request, answer.headers));
  answer.pipe(response);
  await closed;
}

function forwardedHeaders({ headers, socket }: IncomingMessage, url: URL, domains: readonly string[]): IncomingHttpHeaders {
  const before = headers['x-forwarded-for'];
  const peer = socket.remoteAddress ?? '';
  return {
    ...withoutHops(headers),
    host: forwardedHost(headers.host ?? '', url.host, domains),
    'x-forwarded-for': before === undefined ? peer : `${String(before)}, ${peer}`,
  };
}

/** `bucket.<our domain>` becomes `bucket.<their host>`; other names stay. */
export function forwardedHost(host: string, theirs: string, domains: readonly string[]): string {
  const ours = domains.find(domain => host.toLowerCase().includes(domain));
  if (ours === undefined) return host;
  const at = host.toLowerCase().indexOf(ours);
  return host.slice(0, at) + theirs + host.slice(at + ours.length).replace(/^:\d+$/, '');
}

/** Without the headers of the connection, and the pseudo-headers of HTTP/2. */
function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !name.startsWith(':')));
}

/** HTTP/2 frames bodies in its own way. */
function answerHeaders({ httpVersionMajor }: IncomingMessage, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'transfer-encoding': encoding, ...rest } = withoutHops(headers);
  return httpVersionMajor > 1 || encoding === undefined ? rest : { ...rest, 'transfer-encoding': encoding };
}
