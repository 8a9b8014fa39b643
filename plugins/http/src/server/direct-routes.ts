/**
 * Plain requests for routes that return data are handled without hapi, whose share of a small response is larger
 * than the answer's own. A request that needs more (another version of HTTP, conditions the framework knows, a path that
 * needs cleaning) falls through to the framework's route.
 */
import { parse as parseQuery } from 'node:querystring';
import { anonymousBodies, heldBodies } from '@srv/lib-api/http';
import { answerExchange } from './answer-exchange.js';
import { readJson } from './json-body.js';
import { hasTextQuery } from './request-target.js';
import { RouteTable } from './route-table.js';
import type { IncomingMessage } from 'node:http';
import type { ServerRoute } from '@hapi/hapi';
import type { RawRequest } from '@srv/kernel';
import type { DirectRoute, RequestParts } from '../contract.js';
import type { AnswerParts } from './answer-exchange.js';

/** Headers that hapi or the runtime interprets. */
const frameworkHeaders = ['expect', 'if-modified-since', 'upgrade'];
/** Types of bodies about which the framework has nothing to say. */
const plainType = /^(?!multipart\/)[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/;

/** Bytes of a JSON body, where the route does not say. */
const defaultMaxBody = 2 * 1024 * 1024;
const jsonType = /^application\/json(?:; ?charset=utf-8)?$/i;

export class DirectRoutes {
  readonly #parts: AnswerParts;
  readonly #table = new RouteTable();
  /** What the framework has. */
  readonly #added = new Set<DirectRoute['framework']>();

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  add(route: DirectRoute): void {
    this.#table.add(route);
  }

  /** @returns whether the request is taken. */
  claim(raw: RawRequest): boolean {
    const { request } = raw;
    if (!isPlain(request)) return false;
    const url = request.url ?? '';
    const queryAt = url.indexOf('?');
    const match = this.#table.find(request.method ?? '', queryAt < 0 ? url : url.slice(0, queryAt));
    if (!match || !hasPlainBody(request, match.route)) return false;
    const query = queryAt < 0 ? {} : parseQuery(url.slice(queryAt + 1));
    void this.#answer(raw, match.route, { params: match.params, query, headers: request.headers });
    return true;
  }

  /** What the framework lacks to answer a request. @param method as the framework spells it. */
  lackingRoute(method: string, path: string): ServerRoute | undefined {
    const found = this.#table.find(method.toUpperCase(), path) ?? (method === 'head' ? this.#table.find('GET', path) : undefined);
    const add = found?.route.framework;
    if (add === undefined || this.#added.has(add)) return undefined;
    this.#added.add(add);
    return add();
  }

  async #answer(raw: RawRequest, route: DirectRoute, parts: RequestParts): Promise<void> {
    const { request, response } = raw;
    const bodies = route.isPublic ? anonymousBodies : heldBodies;
    let release: (() => void) | undefined;
    const readJsonBody = async (): Promise<unknown> => {
      if (route.body !== 'json') return undefined;
      const limit = route.maxBody ?? defaultMaxBody;
      release = await bodies.hold(response, Math.min(limit, Number(request.headers['content-length'] ?? limit)));
      return readJson(request, limit);
    };
    await answerExchange(this.#parts, raw, {
      async handle(exchange) {
        exchange.name(route.operationId);
        try {
          return await route.handle(exchange, parts, readJsonBody);
        } finally {
          release?.();
        }
      },
    });
  }
}

function isPlain({ httpVersionMajor, headers, url = '' }: IncomingMessage): boolean {
  if (httpVersionMajor !== 1 || url.includes('/.') || url.includes('#') || !hasTextQuery(url)) return false;
  return frameworkHeaders.every(name => headers[name] === undefined);
}

/** Whether the framework would have nothing to say about the body. */
function hasPlainBody({ headers }: IncomingMessage, { body = 'none' }: DirectRoute): boolean {
  const type = headers['content-type'];
  if (body === 'stream') return type === undefined || plainType.test(type);
  const empty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
  if (body === 'none') return empty;
  return (empty || type === undefined || jsonType.test(type)) && headers['content-encoding'] === undefined;
}
