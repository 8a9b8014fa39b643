/** The raw hook: sees each request before the framework does. */
import { jsonResponse } from '@srv/lib-api/http';
import { ClientErrors } from './client-errors.js';
import { maxHeaders } from './listener.js';
import { hostLines, reduceTarget } from './request-target.js';
import { endLate } from './send.js';
import { discardAfter } from './unread-body.js';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { RawRequest } from '@srv/kernel';
import type { Proxies } from '@srv/lib-api/http';
import type { Listener } from './listener.js';

interface InterceptSettings {
  /** Decide what headers of proxies count, before anything else reads them. */
  readonly proxies: Proxies;
  /** Value of the header for requests that came by TLS; absent: it is not sent. */
  readonly strictTransport: string | undefined;
}

/**
 * Puts `claim` in front of the listeners the framework has installed. A claimed request with `Expect: 100-continue` has
 * not been answered with 100 yet: who claims it calls `response.writeContinue()` when it wants the body.
 */
export function interceptRequests(listener: Listener, settings: InterceptSettings, claim: (raw: RawRequest) => boolean): void {
  const errors = new ClientErrors(listener);
  acceptExpectations(listener);
  for (const event of ['request', 'checkContinue'] as const) {
    const handlers = listener.listeners(event) as RequestListener[];
    listener.removeAllListeners(event);
    const intercept: RequestListener = (request, response) => {
      errors.note(request, response);
      const refusal = refusalOf(request);
      if (refusal) {
        respondError(response, refusal.status, refusal.message);
        return;
      }
      if (request.method === 'OPTIONS' && request.url === '*') {
        discardAfter(request, response);
        response.writeHead(204).end();
        return;
      }
      settings.proxies.settle(request.socket.remoteAddress ?? '', request.headers);
      if (settings.strictTransport !== undefined && isSecure(request))
        response.setHeader('Strict-Transport-Security', settings.strictTransport);
      if (claim({ request, response })) return;
      for (const handler of handlers) handler(request, response);
    };
    listener.on(event, intercept);
  }
}

/**
 * An empty expectation means nothing, but the runtime would reject it; over HTTP/2 it would also reject `100-Continue`, which
 * Go programs send. Others are rejected (417).
 */
function acceptExpectations(listener: Listener): void {
  listener.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const expectation = request.headers.expect?.trim().toLowerCase();
    if (expectation === '') delete request.headers.expect;
    if (expectation === '' || expectation === '100-continue') {
      listener.emit(expectation === '' ? 'request' : 'checkContinue', request, response);
      return;
    }
    respondError(response, 417, `the expectation ${request.headers.expect} cannot be met`);
  });
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** What no route can answer. Otherwise the request names one host, in `host`, and its URL is a path, or `*` of OPTIONS. */
function refusalOf(request: IncomingMessage): Refusal | undefined {
  const { rawHeaders, httpVersion } = request;
  if (rawHeaders.length > 2 * maxHeaders) return { status: 431, message: `the request has more than ${maxHeaders} headers` };
  const hosts = hostLines(rawHeaders).length;
  if (hosts > 1) return { status: 400, message: 'the request has more than one Host header' };
  if (hosts === 0 && httpVersion === '1.1') return { status: 400, message: 'the request has no Host header' };
  const coding = request.headers['transfer-encoding']?.trim().toLowerCase() ?? 'chunked';
  if (coding !== 'chunked') return { status: 501, message: `the transfer encoding ${coding} is not supported; send chunked alone` };
  if (!reduceTarget(request)) return { status: 400, message: 'the target of the request is neither a path nor an http URL' };
  if (!nameHost(request))
    return { status: 400, message: 'the Host header differs from :authority; send the same host in both, or leave Host out' };
  return undefined;
}

function respondError(response: ServerResponse, code: number, message: string): void {
  const { status, headers, body } = jsonResponse(code, { message });
  const closes = response.req.httpVersionMajor === 1;
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body), ...(closes ? { Connection: 'close' } : {}) });
  if (closes) void endLate(response, body);
  else {
    discardAfter(response.req, response);
    response.end(body);
  }
}

/**
 * HTTP/2 has another name for the header that signatures and virtual hosts are made with. From here on there is one name for
 * it, also among the raw lines.
 * @returns false when the request names two hosts (RFC 9113, section 8.3.1).
 */
function nameHost({ headers, rawHeaders }: IncomingMessage): boolean {
  const authority = headers[':authority'];
  if (typeof authority !== 'string') return true;
  if (headers.host !== undefined) return headers.host.toLowerCase() === authority.toLowerCase();
  headers.host = authority;
  rawHeaders.push('host', authority);
  return true;
}

/** Here, or to a proxy that counts. */
function isSecure({ socket, headers }: IncomingMessage): boolean {
  return 'encrypted' in socket || headers['x-forwarded-proto'] === 'https';
}
