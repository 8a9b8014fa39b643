/**
 * Routes that are called by the thousand go past the framework, whose share of a small answer is larger than the answer's
 * own. A request that asks for more than the plain case (another version of HTTP, conditions the framework knows, a path
 * that needs cleaning) takes the way of all others.
 */
import { parse as parseQuery } from 'node:querystring';
import { sendSoon } from './send.js';
import { errorAnswer } from './errors.js';
import type { IncomingMessage } from 'node:http';
import type { Logger, RawRequest } from '@srv/kernel';
import type { Answer } from '@srv/lib-http';
import type { DirectRoute, RequestParts } from '../contract.js';
import type { ExchangeLog } from './exchange-log.js';

interface Compiled {
  readonly route: DirectRoute;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

/** Headers that the framework, or the runtime, looks at. */
const elsewhere = ['expect', 'if-modified-since', 'upgrade'];
/** Types of bodies about which the framework has nothing to say. */
const plainType = /^(?!multipart\/)[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/;

export interface DirectRoutesParts {
  readonly exchanges: ExchangeLog;
  readonly log: Logger;
  /** Once it is closed, connections end behind their answer. */
  readonly listener: { readonly listening: boolean };
}

export class DirectRoutes {
  readonly #parts: DirectRoutesParts;
  readonly #byMethod = new Map<string, Compiled[]>();

  constructor(parts: DirectRoutesParts) {
    this.#parts = parts;
  }

  add(route: DirectRoute): void {
    const names: string[] = [];
    const pattern = route.path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name: string) => {
      names.push(name);
      return '([^/]+)';
    });
    const routes = this.#byMethod.get(route.method);
    const compiled = { route, names, pattern: new RegExp(`^${pattern}$`) };
    if (routes) routes.push(compiled);
    else this.#byMethod.set(route.method, [compiled]);
  }

  /** @returns whether the request is taken. */
  claim(raw: RawRequest): boolean {
    const { request } = raw;
    const routes = this.#byMethod.get(request.method ?? '');
    if (!routes || !isPlain(request)) return false;
    const url = request.url ?? '';
    const queryAt = url.indexOf('?');
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    for (const { route, pattern, names } of routes) {
      const match = pattern.exec(path);
      const params = match && paramsOf(names, match);
      if (!params) continue;
      const query = queryAt < 0 ? {} : parseQuery(url.slice(queryAt + 1));
      void this.#answer(raw, route, { params, query, headers: request.headers });
      return true;
    }
    return false;
  }

  async #answer({ request, response }: RawRequest, route: DirectRoute, parts: RequestParts): Promise<void> {
    const { exchanges, listener, log } = this.#parts;
    const exchange = exchanges.begin(request, response);
    exchange.name(route.operationId);
    // A caller who leaves is no fault, wherever it is noticed first.
    request.on('error', ignore);
    response.on('error', ignore);
    const more = ['X-Request-ID', exchange.requestId];
    if (!listener.listening) more.push('Connection', 'close');
    const give = (answer: Answer, failed: (error: unknown) => void): void => {
      exchange.answering(answer.status);
      exchange.sentBytes = sendSoon(response, answer, more, failed);
    };
    const refuse = (error: unknown): void => {
      // It is too late to say anything else.
      if (response.headersSent) response.destroy();
      else give(errorAnswer(error, exchange, log), () => response.destroy());
    };
    try {
      give(await route.handle(exchange, parts), refuse);
    } catch (error) {
      refuse(error);
    }
  }
}

function ignore(): void {}

function isPlain({ httpVersionMajor, headers, method, url = '' }: IncomingMessage): boolean {
  if (httpVersionMajor !== 1 || url.includes('/.') || url.includes('#')) return false;
  for (const name of elsewhere) if (headers[name] !== undefined) return false;
  if (method === 'POST') return headers['content-type'] === undefined || plainType.test(headers['content-type']);
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

/** `undefined` for what cannot be decoded. */
function paramsOf(names: readonly string[], match: RegExpExecArray): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    const value = match[i + 1] ?? '';
    try {
      params[name] = value.includes('%') ? decodeURIComponent(value) : value;
    } catch {
      return undefined;
    }
  }
  return params;
}
