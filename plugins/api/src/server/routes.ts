/** Turns the table into hapi routes: validate, authenticate, authorize, handle. */
import { Readable } from 'node:stream';
import { SrvError } from '@srv/kernel';
import { Reply } from '../reply.js';
import { clearedCookie } from '../session.js';
import { drainBody } from './drain.js';
import { presentedCredentials } from './identify.js';
import { RequestContext, notAuthenticated } from './request-context.js';
import { createValidator } from './validate.js';
import type { Lifecycle, Request, ResponseObject, ResponseToolkit, RouteOptions, ServerRoute } from '@hapi/hapi';
import type { User } from '@srv/kernel';
import type { AnyInput, AnyOperation, Method } from '../operation.js';
import type { ApiParts } from './request-context.js';

interface Admitted {
  readonly context: RequestContext;
  readonly input: AnyInput;
}

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Set when a request was admitted before its body was accepted. */
    admitted?: Admitted;
  }
}

/** Bytes of a JSON body: it is read before anybody asks who sent it. */
const maxJson = 2 * 1024 * 1024;

/** @param base path in front of every operation's. */
export function createRoutes(operations: readonly AnyOperation[], parts: ApiParts, base: string): ServerRoute[] {
  const heads = new Map(operations.filter(op => op.method === 'HEAD').map(op => [op.path, new Endpoint(op, parts)]));
  return operations.filter(op => op.method !== 'HEAD').map(op => routeOf(new Endpoint(op, parts), heads.get(op.path), base));
}

/** hapi answers HEAD through the GET route: an operation of its own for it shares that route. */
function routeOf(endpoint: Endpoint, head: Endpoint | undefined, base: string): ServerRoute {
  const { operation } = endpoint;
  const pick = (request: Request): Endpoint => (request.method === 'head' && head ? head : endpoint);
  const options: RouteOptions = {
    plugins: { http: { operationId: operation.operationId, ...(head ? { headOperationId: head.operation.operationId } : {}) } },
    response: { ranges: false },
    ...(operation.body === 'stream' ? { ext: { onPreAuth: { method: (request, h) => pick(request).beforeBody(request, h) } } } : {}),
  };
  if (operation.method !== 'GET') options.payload = payloadOptions(operation);
  const method = operation.method as Exclude<Method, 'HEAD'>;
  return { method, path: base + operation.path, options, handler: (request, h) => pick(request).handle(request, h) };
}

function payloadOptions({ body, maxBody = maxJson }: AnyOperation): RouteOptions['payload'] {
  if (body === 'stream') return { parse: false, output: 'stream', maxBytes: Number.MAX_SAFE_INTEGER, timeout: false };
  if (body === undefined) return { parse: false, output: 'data', maxBytes: maxBody };
  return { parse: true, output: 'data', allow: 'application/json', maxBytes: maxBody };
}

class Endpoint {
  readonly operation: AnyOperation;
  readonly #parts: ApiParts;
  readonly #validator: ReturnType<typeof createValidator>;

  constructor(operation: AnyOperation, parts: ApiParts) {
    this.operation = operation;
    this.#parts = parts;
    this.#validator = createValidator(operation);
  }

  /** Streams are refused before the client is asked to send them. */
  async beforeBody(request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValueTypes> {
    try {
      const admitted = await this.#admit(request, this.#parameters(request));
      await this.operation.prepare?.(admitted.context, admitted.input);
      request.app.admitted = admitted;
    } catch (error) {
      await drainBody(request.raw.req);
      throw error;
    }
    return h.continue;
  }

  async handle(request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> {
    const { operation } = this;
    if (operation.body === 'stream') return this.#handleStream(request, h);
    const parameters = this.#parameters(request);
    const { context, input } = await this.#admit(
      request,
      operation.body === undefined ? parameters : { ...parameters, body: this.#validator.body(request.payload) },
    );
    return this.#answer(await operation.handler(context, input), h);
  }

  async #handleStream(request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> {
    const { admitted, requestId } = request.app;
    if (!admitted) throw new SrvError('internal', `request ${requestId} was not admitted`);
    try {
      return this.#answer(await this.operation.handler(admitted.context, { ...admitted.input, body: request.raw.req }), h);
    } catch (error) {
      await drainBody(request.raw.req);
      throw error;
    }
  }

  #parameters(request: Request): AnyInput {
    return this.#validator.parts({ params: request.params, query: request.query, headers: request.raw.req.headers });
  }

  /** Permission comes before existence: who may not look is not told what is there. */
  async #admit(request: Request, input: AnyInput): Promise<Admitted> {
    const { access = 'user', feature, operationId } = this.operation;
    const caller = access === 'public' ? undefined : await this.#identify(request);
    if (caller) request.app.user = caller.username;
    else if (access === 'user') throw notAuthenticated();
    const context = new RequestContext(this.#parts, request, caller);
    if (feature !== undefined && !this.#parts.auth.supports(feature)) throw new SrvError('unsupported', 'Not Implemented');
    const permission = await this.operation.permission?.(input, context);
    if (permission) await context.demand(permission);
    this.#parts.log.debug(
      {
        request_id: request.app.requestId,
        user: caller?.username,
        class: 'api_server',
        name: operationId,
        repository: input.repository,
        ref: input.branch ?? input.ref,
      },
      'performing API action',
    );
    return { context, input };
  }

  /** `undefined` without credentials. @throws SrvError `unauthenticated` for bad ones. */
  async #identify(request: Request): Promise<User | undefined> {
    const { credentials, cookie } = presentedCredentials(request.raw.req.headers, request.method);
    const user = await this.#parts.hooks.authenticate.promise(credentials);
    if (user || credentials.kind === 'headers') return user;
    // An expired session would make every further request fail.
    if (cookie)
      request.raw.res.setHeader(
        'Set-Cookie',
        clearedCookie({ domain: this.#parts.auth.login.cookieDomain, secure: request.server.info.protocol === 'https' }),
      );
    throw notAuthenticated();
  }

  #answer(result: unknown, h: ResponseToolkit): ResponseObject {
    const { status, result: kind } = this.operation;
    if (result instanceof Reply) {
      const { status: own = status, headers = {}, body } = result.parts;
      const response = body === undefined ? h.response() : body instanceof Readable ? h.response(body) : jsonResponse(h, body);
      response.code(own);
      for (const [name, value] of Object.entries(headers)) response.header(name, value);
      if (headers['Content-Type'] !== undefined) response.charset('');
      return response;
    }
    if (kind.kind === 'empty' || result === undefined) return h.response().code(status);
    if (kind.kind === 'text')
      return h
        .response(result as string)
        .code(status)
        .type('text/plain');
    return jsonResponse(h, result as object).code(status);
  }
}

function jsonResponse(h: ResponseToolkit, body: object): ResponseObject {
  const response = h.response(body).type('application/json');
  response.charset('');
  return response;
}
