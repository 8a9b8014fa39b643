/** Turns the table into direct routes, and these into routes of the framework for requests that are not plain. */

import { SrvError } from '@srv/kernel';
import { anonymousBodies, heldBodies, maxAnonymousBody, respond } from '@srv/lib-api/http';
import { Endpoint } from './endpoint.js';
import type { IncomingHttpHeaders } from 'node:http';
import type { Lifecycle, Request, ResponseToolkit, RouteOptions, ServerRoute } from '@hapi/hapi';
import type { DirectRoute, RequestParts } from '@srv/http/contract';
import type { AnyOperation, Method } from '@srv/lib-api';
import type { Admitted, Identified } from './endpoint.js';
import type { ApiParts } from './request-context.js';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Set when a request was admitted before its body was accepted. */
    admitted?: Admitted;
    /** Set when the caller was known before the body was parsed. */
    identified?: Identified;
  }
}

/** Bytes of a JSON body. */
const maxJson = 2 * 1024 * 1024;

/** @param base path in front of every operation's. */
export function createRoutes(operations: readonly AnyOperation[], parts: ApiParts, base: string): DirectRoute[] {
  const endpoints = operations.map(operation => new Endpoint(operation, parts));
  const heads = new Map(endpoints.filter(e => e.operation.method === 'HEAD').map(e => [e.operation.path, e]));
  const framework = new Map(
    endpoints
      .filter(e => e.operation.method !== 'HEAD')
      .map(e => [`${e.operation.method} ${e.operation.path}`, () => routeOf(e, heads.get(e.operation.path), base)]),
  );
  return endpoints.map(endpoint => {
    const { method, path } = endpoint.operation;
    return { ...directRouteOf(endpoint, base), framework: framework.get(`${method === 'HEAD' ? 'GET' : method} ${path}`) };
  });
}

function directRouteOf(endpoint: Endpoint, base: string): DirectRoute {
  const { operationId, method, path, access, body } = endpoint.operation;
  const streams = body === 'stream';
  return {
    method,
    path: base + path,
    operationId,
    maxBody: maxBodyOf(endpoint.operation),
    isPublic: isAnonymous(access),
    body: streams ? 'stream' : body === undefined ? 'none' : 'json',
    handle: streams
      ? async (exchange, parts) => endpoint.handleStream(await endpoint.beforeStream(exchange, parts), exchange)
      : async (exchange, parts, readBody) => {
          const identified = await endpoint.beforeBody(exchange, parts);
          return endpoint.handle(exchange, identified, await readBody());
        },
  };
}

/** hapi answers HEAD through the GET route: an operation of its own for it shares that route. */
function routeOf(endpoint: Endpoint, head: Endpoint | undefined, base: string): ServerRoute {
  const { operation } = endpoint;
  const pick = (request: Request): Endpoint => (request.method === 'head' && head ? head : endpoint);
  const options: RouteOptions = {
    plugins: { http: { operationId: operation.operationId, headOperationId: head?.operation.operationId } },
    response: { ranges: false },
  };
  const method = operation.method as Exclude<Method, 'HEAD'>;
  const route = { method, path: base + operation.path };
  if (operation.body === 'stream') {
    const beforeStream = async (request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValueTypes> => {
      request.app.admitted = await endpoint.beforeStream(request.app.exchange, partsOf(request));
      return h.continue;
    };
    return {
      ...route,
      options: { ...options, payload: payloadOptions(operation), ext: { onPreAuth: { method: beforeStream } } },
      async handler({ app: { admitted, exchange } }, h) {
        if (!admitted) throw new SrvError('internal', `request ${exchange.requestId} was not admitted`);
        return respond(h, await endpoint.handleStream(admitted, exchange));
      },
    };
  }
  const beforeBody = async (request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValueTypes> => {
    const { app, raw } = request;
    app.identified = await pick(request).beforeBody(app.exchange, partsOf(request));
    if (operation.body === undefined) return h.continue;
    const limit = maxBodyOf(operation);
    const bodies = isAnonymous(operation.access) ? anonymousBodies : heldBodies;
    await bodies.holdFor(raw.res, heldBytes(raw.req.headers, limit));
    return h.continue;
  };
  return {
    ...route,
    options: {
      ...options,
      ...(operation.method === 'GET' ? {} : { payload: payloadOptions(operation) }),
      ext: { onPreAuth: { method: beforeBody } },
    },
    async handler(request, h) {
      const { identified, exchange } = request.app;
      if (!identified) throw new SrvError('internal', `the caller of request ${exchange.requestId} is not known`);
      return respond(h, await pick(request).handle(exchange, identified, request.payload));
    },
  };
}

function partsOf({ params, query, raw }: Request): RequestParts {
  return { params, query, headers: raw.req.headers };
}

/** Whether the body comes from a caller who need not be known. */
function isAnonymous(access: AnyOperation['access']): boolean {
  return access === 'public' || access === 'anyone';
}

function maxBodyOf({ maxBody, access }: AnyOperation): number {
  return maxBody ?? (isAnonymous(access) ? maxAnonymousBody : maxJson);
}

function payloadOptions(operation: AnyOperation): RouteOptions['payload'] {
  const { body } = operation;
  const maxBody = maxBodyOf(operation);
  if (body === 'stream') return { parse: false, output: 'stream', maxBytes: Number.MAX_SAFE_INTEGER, timeout: false };
  if (body === undefined) return { parse: false, output: 'data', maxBytes: maxBody };
  return { parse: true, output: 'data', allow: 'application/json', maxBytes: maxBody };
}

/** Bytes that a body may have once it is unpacked. */
function heldBytes(headers: IncomingHttpHeaders, limit: number): number {
  const isPacked = headers['content-encoding'] !== undefined;
  return isPacked ? limit : Math.min(limit, Number(headers['content-length'] ?? limit));
}
