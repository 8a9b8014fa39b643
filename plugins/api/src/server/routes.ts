/** Turns the table into direct routes, and into routes of the framework for requests that are not plain. */
import type { AnyOperation, Method } from '@srv/lib-operations';
import { SrvError } from '@srv/kernel';
import { respond } from '@srv/lib-http';
import { Endpoint } from './endpoint.js';
import type { Lifecycle, Request, ResponseToolkit, RouteOptions, ServerRoute } from '@hapi/hapi';
import type { DirectRoute, RequestParts } from '@srv/http/contract';
import type { Admitted } from './endpoint.js';
import type { ApiParts } from './request-context.js';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Set when a request was admitted before its body was accepted. */
    admitted?: Admitted;
  }
}

/** Bytes of a JSON body: it is read before anybody asks who sent it. */
const maxJson = 2 * 1024 * 1024;

interface Routes {
  readonly framework: readonly ServerRoute[];
  readonly direct: readonly DirectRoute[];
}

/** @param base path in front of every operation's. */
export function createRoutes(operations: readonly AnyOperation[], parts: ApiParts, base: string): Routes {
  const endpoints = operations.map(operation => new Endpoint(operation, parts));
  const heads = new Map(endpoints.filter(e => e.operation.method === 'HEAD').map(e => [e.operation.path, e]));
  return {
    framework: endpoints.filter(e => e.operation.method !== 'HEAD').map(e => routeOf(e, heads.get(e.operation.path), base)),
    direct: endpoints.map(e => directRouteOf(e, base)),
  };
}

function directRouteOf(endpoint: Endpoint, base: string): DirectRoute {
  const { operationId, method, path, body, maxBody = maxJson } = endpoint.operation;
  const streams = body === 'stream';
  return {
    method,
    path: base + path,
    operationId,
    maxBody,
    body: streams ? 'stream' : body === undefined ? 'none' : 'json',
    handle: streams
      ? async (exchange, parts) => endpoint.handleStream(await endpoint.beforeBody(exchange, parts), exchange)
      : (exchange, parts, payload) => endpoint.handle(exchange, parts, payload),
  };
}

/** hapi answers HEAD through the GET route: an operation of its own for it shares that route. */
function routeOf(endpoint: Endpoint, head: Endpoint | undefined, base: string): ServerRoute {
  const { operation } = endpoint;
  const pick = (request: Request): Endpoint => (request.method === 'head' && head ? head : endpoint);
  const options: RouteOptions = {
    plugins: { http: { operationId: operation.operationId, ...(head ? { headOperationId: head.operation.operationId } : {}) } },
    response: { ranges: false },
  };
  const method = operation.method as Exclude<Method, 'HEAD'>;
  const route = { method, path: base + operation.path };
  if (operation.body === 'stream') {
    const beforeBody = async (request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValueTypes> => {
      request.app.admitted = await endpoint.beforeBody(request.app.exchange, partsOf(request));
      return h.continue;
    };
    return {
      ...route,
      options: { ...options, payload: payloadOptions(operation), ext: { onPreAuth: { method: beforeBody } } },
      async handler({ app: { admitted, exchange } }, h) {
        if (!admitted) throw new SrvError('internal', `request ${exchange.requestId} was not admitted`);
        return respond(h, await endpoint.handleStream(admitted, exchange));
      },
    };
  }
  return {
    ...route,
    options: operation.method === 'GET' ? options : { ...options, payload: payloadOptions(operation) },
    handler: async (request, h) => respond(h, await pick(request).handle(request.app.exchange, partsOf(request), request.payload)),
  };
}

function partsOf({ params, query, raw }: Request): RequestParts {
  return { params, query, headers: raw.req.headers };
}

function payloadOptions({ body, maxBody = maxJson }: AnyOperation): RouteOptions['payload'] {
  if (body === 'stream') return { parse: false, output: 'stream', maxBytes: Number.MAX_SAFE_INTEGER, timeout: false };
  if (body === undefined) return { parse: false, output: 'data', maxBytes: maxBody };
  return { parse: true, output: 'data', allow: 'application/json', maxBytes: maxBody };
}
