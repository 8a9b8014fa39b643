/** The hapi server: what every route has in common. */
import { randomUUID } from 'node:crypto';
import { isBoom } from '@hapi/boom';
import { server as createHapiServer } from '@hapi/hapi';
import { messageOf } from '@srv/kernel';
import { auditRequest } from './audit.js';
import { describe, retryAfter } from './errors.js';
import type { Lifecycle, Request, ResponseToolkit, Server } from '@hapi/hapi';
import type { Server as HttpServer } from 'node:http';
import type { Logger, LogMethod } from '@srv/kernel';
import type { Listener } from './listener.js';

export interface ServerParts {
  readonly listener: Listener;
  readonly tls: boolean;
  readonly log: Logger;
  readonly audit: LogMethod;
}

const mebibyte = 1024 * 1024;

/** A server on `listener`, which it neither opens nor closes. */
export function createServer({ listener, tls, log, audit }: ServerParts): Server {
  const server = createHapiServer({
    // The framework needs of it what both kinds have.
    listener: listener as HttpServer,
    tls,
    autoListen: false,
    debug: false,
    // Read at once: when the audit line is written the connection may be gone, and an HTTP/2 one then refuses to tell.
    info: { remote: true },
    // JSON goes out as it is; whoever serves large text files keeps them compressed.
    compression: false,
    operations: { cleanStop: false },
    routes: {
      json: { suffix: '\n' },
      payload: { maxBytes: 16 * mebibyte, timeout: 60_000, defaultContentType: 'application/json' },
      // Cookies of other programs on this host must not make requests fail.
      state: { parse: false, failAction: 'ignore' },
      security: { hsts: false, xframe: 'sameorigin', noSniff: true, noOpen: false, xss: false, referrer: 'same-origin' },
    },
  });
  server.ext('onRequest', (request, h) => {
    request.app.requestId = randomUUID();
    // On the raw answer, and not as each kind of answer is prepared: it is on every one.
    request.raw.res.setHeader('X-Request-ID', request.app.requestId);
    return h.continue;
  });
  server.ext('onPreResponse', (request, h) => present(request, h, log));
  server.events.on('response', request => auditRequest(request, audit));
  return server;
}

/** Gives errors their body and every answer its request id. */
function present(request: Request, h: ResponseToolkit, log: Logger): Lifecycle.ReturnValue {
  const { response } = request;
  if (!isBoom(response)) return h.continue;
  const { status, message } = describe(response);
  if (status >= 500) reportFault(request, response, status, log);
  const answer = h.response({ message }).code(status).type('application/json');
  answer.charset('');
  for (const [name, value] of Object.entries(response.output.headers)) if (value !== undefined) answer.header(name, String(value));
  const seconds = retryAfter.get(status);
  if (seconds !== undefined) answer.header('Retry-After', String(seconds));
  return answer;
}

/** Callers see a plain sentence; the operator sees the cause. */
function reportFault(request: Request, error: Error, status: number, log: Logger): void {
  const causes = [];
  for (let cause: unknown = error; cause !== undefined && causes.length < 5; cause = cause instanceof Error ? cause.cause : undefined)
    causes.push(messageOf(cause));
  const fields = {
    request_id: request.app.requestId,
    method: request.method.toUpperCase(),
    path: request.path,
    status_code: status,
    error: causes.join(': '),
  };
  if (status === 501) log.debug(fields, 'request asks for something unsupported');
  else log.error({ ...fields, stack: error.stack }, 'request failed');
}
