/** The hapi server: what every route has in common. */
import { Readable } from 'node:stream';
import { badRequest, isBoom } from '@hapi/boom';
import { server as createHapiServer } from '@hapi/hapi';
import { SrvError } from '@srv/kernel';
import { respond, sendStream } from '@srv/lib-api/http';
import { cutAnswerLogger, errorResponse } from './errors.js';
import { LoggedExchange } from './exchange-log.js';
import { badJson, notUtf8 } from './json-body.js';
import { checkJson } from './parse-json.js';
import { hasTextQuery } from './request-target.js';
import { closesConnection, linger } from './unread-body.js';
import type { Server as HttpServer, ServerResponse } from 'node:http';
import type { Lifecycle, Request, ResponseObject, ResponseToolkit, Server, ServerRoute } from '@hapi/hapi';
import type { Logger } from '@srv/kernel';
import type { ExchangeLog } from './exchange-log.js';
import type { Listener } from './listener.js';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** False once its body turned out not to be UTF-8. */
    isText?: boolean;
  }
}

interface ServerParts {
  readonly listener: Listener;
  readonly tls: boolean;
  readonly log: Logger;
  readonly exchanges: ExchangeLog;
  /** The route of a request, if the framework lacks it. */
  readonly lackingRoute: (method: string, path: string) => ServerRoute | undefined;
}

const mebibyte = 1024 * 1024;

/** A server on `listener`, which it neither opens nor closes. */
export function createServer({ listener, tls, log, exchanges, lackingRoute }: ServerParts): Server {
  const server = createHapiServer({
    // The framework needs of it what both kinds have.
    listener: listener as HttpServer,
    tls,
    autoListen: false,
    debug: false,
    // JSON is sent uncompressed; routes with large text files store them compressed.
    compression: false,
    operations: { cleanStop: false },
    routes: {
      json: { suffix: '\n' },
      // `__proto__` may be a name, such as one of metadata; fields that are validated are copied.
      payload: { protoAction: 'ignore', maxBytes: 16 * mebibyte, timeout: 60_000, defaultContentType: 'application/json' },
      // Cookies of other programs on this host must not make requests fail.
      state: { parse: false, failAction: 'ignore' },
      security: { hsts: false, xframe: 'sameorigin', noSniff: true, noOpen: false, xss: false, referrer: 'same-origin' },
    },
  });
  server.ext('onRequest', (request, h) => {
    const { req, res } = request.raw;
    request.app.exchange = exchanges.begin(req, res);
    // On the raw answer, and not as each kind of answer is prepared: it is on every one.
    res.setHeader('X-Request-ID', request.app.exchange.requestId);
    const route = lackingRoute(request.method, request.path);
    if (route !== undefined) server.route(route);
    return h.continue;
  });
  server.ext('onPreAuth', (request, h) => {
    const facts = request.route.settings.plugins?.http;
    const exchange = loggedExchangeOf(request);
    if (facts?.readsQuery !== false && !hasTextQuery(request.raw.req.url ?? ''))
      throw badRequest('the query has escapes that are not UTF-8');
    if (facts?.audit === false) exchange.skipAudit = true;
    const operationId = (request.method === 'head' ? facts?.headOperationId : undefined) ?? facts?.operationId;
    if (operationId !== undefined) exchange.name(operationId);
    if (request.route.settings.payload?.parse === true) watchText(request);
    return h.continue;
  });
  server.ext('onPostAuth', (request, h) => {
    const { payload } = request;
    if (request.app.isText === false) throw notUtf8();
    if (typeof payload === 'object' && payload !== null && !Buffer.isBuffer(payload) && !(payload instanceof Readable))
      checkPayload(payload);
    return h.continue;
  });
  server.ext('onPreResponse', (request, h) => present(request, h, log));
  return server;
}

/** The framework would replace what is not UTF-8 by a character that stands for anything. */
function watchText({ app, events }: Request): void {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk: string | Buffer, stream = true): void => {
    try {
      decoder.decode(Buffer.from(chunk), { stream });
    } catch {
      app.isText = false;
    }
  };
  events.on('peek', (chunk: string | Buffer) => decode(chunk));
  events.once('finish', () => decode('', false));
}

/** @throws Boom 400, as direct routes do. */
function checkPayload(payload: object): void {
  try {
    checkJson(payload);
  } catch (error) {
    throw badJson(error);
  }
}

function loggedExchangeOf({ app: { exchange } }: Request): LoggedExchange {
  if (!(exchange instanceof LoggedExchange)) throw new SrvError('internal', 'the exchange of a request was replaced');
  return exchange;
}

/**
 * The framework would neither log a body that fails after the headers, nor report it to a client of HTTP/2. It lets a
 * payload write itself.
 */
function sendAsWeDo({ source, headers }: ResponseObject, exchange: LoggedExchange, log: Logger): void {
  const length = Number(headers['content-length']);
  if (!(source instanceof Readable) || Number.isNaN(length)) return;
  const broken = cutAnswerLogger(log, exchange);
  Object.assign(source, { writeToStream: (to: ServerResponse) => sendStream(to, source, length, broken) });
}

/** Gives errors their body. */
async function present(request: Request, h: ResponseToolkit, log: Logger): Promise<Lifecycle.ReturnValueTypes> {
  const { response } = request;
  const { req } = request.raw;
  // The framework ends the connection together with the response if there is a rest of the body.
  if (req.httpVersionMajor === 1) await linger(req);
  const closes = closesConnection(req);
  if (!isBoom(response)) {
    loggedExchangeOf(request).answering(response.statusCode);
    if (closes) response.header('Connection', 'close');
    sendAsWeDo(response, loggedExchangeOf(request), log);
    return h.continue;
  }
  const answer = respond(h, errorResponse(response, request.app.exchange, log));
  for (const [name, value] of Object.entries(response.output.headers)) if (value !== undefined) answer.header(name, String(value));
  if (closes) answer.header('Connection', 'close');
  return answer;
}
