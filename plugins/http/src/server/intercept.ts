/** The raw hook: sees each request before the framework does. */
import { jsonResponse } from '@srv/lib-http';
import { ClientErrors } from './client-errors.js';
import { maxHeaders } from './listener.js';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { RawRequest } from '@srv/kernel';
import type { Listener } from './listener.js';

/**
 * Puts `claim` in front of the listeners the framework has installed. A claimed request with `Expect: 100-continue` has
 * not been answered with 100 yet: who claims it calls `response.writeContinue()` when it wants the body.
 */
export function interceptRequests(listener: Listener, claim: (raw: RawRequest) => boolean): void {
  const errors = new ClientErrors(listener);
  acceptEmptyExpectation(listener);
  for (const event of ['request', 'checkContinue'] as const) {
    const handlers = listener.listeners(event) as RequestListener[];
    listener.removeAllListeners(event);
    const intercept: RequestListener = (request, response) => {
      errors.note(request, response);
      if (request.rawHeaders.length > 2 * maxHeaders) {
        refuse(response, 431, `the request has more than ${maxHeaders} headers`);
        return;
      }
      nameHost(request);
      if (request.headers.host === undefined && request.httpVersion === '1.1') {
        refuse(response, 400, 'the request has no Host header');
        return;
      }
      if (claim({ request, response })) return;
      for (const handler of handlers) handler(request, response);
    };
    listener.on(event, intercept);
  }
}

/** An empty expectation means nothing, but the runtime would reject it. Others than 100-continue are rejected (417). */
function acceptEmptyExpectation(listener: Listener): void {
  listener.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.expect?.trim() === '') {
      delete request.headers.expect;
      listener.emit('request', request, response);
      return;
    }
    refuse(response, 417, `the expectation ${request.headers.expect} cannot be met`);
  });
}

function refuse(response: ServerResponse, code: number, message: string): void {
  const { status, headers, body } = jsonResponse(code, { message });
  response.writeHead(status, { ...headers, Connection: 'close' }).end(body);
}

/** HTTP/2 has another name for the header that signatures and virtual hosts are made with. */
function nameHost({ headers }: IncomingMessage): void {
  const authority = headers[':authority'];
  if (headers.host === undefined && typeof authority === 'string') headers.host = authority;
}
