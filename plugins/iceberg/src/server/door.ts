/** A request to the catalog: endpoint, caller, answer. */
import {
  FaceRequest,
  anonymousBodies,
  authorizationCredentials,
  clientName,
  heldBodies,
  maxAnonymousBody,
  readBody,
  sourceIp,
} from '@srv/lib-api/http';
import { namespaceEndpoints } from './endpoints/namespaces.js';
import { getConfig, getToken } from './endpoints/session.js';
import { tableEndpoints } from './endpoints/tables.js';
import { viewEndpoints } from './endpoints/views.js';
import { CatalogError } from './errors.js';
import { catalogNames, decoded, scopeOf } from './names.js';
import type { HttpResponse, RawExchange } from '@srv/http/contract';
import type { Activity } from '@srv/kernel';
import type { ClaimedPath } from './claim.js';
import type { CatalogCall, CatalogParts, Endpoint } from './endpoint.js';

/** Bytes of a body. */
const maxBody = 16 << 20;

const prefixed: readonly Endpoint[] = [...namespaceEndpoints, ...tableEndpoints, ...viewEndpoints];
const offered = prefixed.map(({ method, path }) => `${method} /v1/{prefix}${path}`);
const unprefixed: readonly Endpoint[] = [getConfig(offered), getToken];

interface DoorParts extends CatalogParts {
  /** For statistics and usage reports. */
  readonly count: (activity: Activity) => void;
}

export class Door {
  readonly #parts: DoorParts;

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  async handle(exchange: RawExchange, { scope, segments }: ClaimedPath): Promise<HttpResponse> {
    const { request } = exchange;
    exchange.name('iceberg');
    const { endpoint, params } = find(request.method ?? '', segments);
    exchange.name(`iceberg ${endpoint.name}`);
    const { count, ...parts } = this.#parts;
    const url = request.url ?? '';
    const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');
    let body: Promise<string> | undefined;
    const call: CatalogCall = {
      ...parts,
      scope: scope === undefined ? { namespace: [] } : scopeOf(decoded(scope)),
      params,
      query,
      headers: request.headers,
      from: sourceIp(exchange.remoteAddress, request.headers),
      origin: originOf(exchange),
      text() {
        body ??= readText(exchange, endpoint.access === 'public');
        return body;
      },
    };
    if (endpoint.access === 'public') return endpoint.handle(call);
    const face = await FaceRequest.identify(exchange, parts.identity, authorizationCredentials);
    count({ class: 'iceberg', name: endpoint.name, user: face.user.username, client: clientName(request.headers) });
    const work = (): Promise<HttpResponse> => endpoint.handle({ ...call, face });
    const key = request.headers['idempotency-key'];
    if (!endpoint.isChange || typeof key !== 'string') return work();
    const asked = { user: face.user.username, key, method: request.method ?? '', url, body: await call.text() };
    return parts.requests.run(asked, work);
  }
}

interface FoundEndpoint {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
}

/** @throws CatalogError 404, or 405 where another method is offered. */
function find(method: string, segments: readonly string[]): FoundEndpoint {
  const rest = catalogNames.has(segments[0] ?? '') ? segments.slice(1) : segments;
  const candidates = [
    ...unprefixed.map(endpoint => ({ endpoint, given: segments })),
    ...prefixed.map(endpoint => ({ endpoint, given: rest })),
  ];
  const fitting = candidates.flatMap(({ endpoint, given }) => {
    const params = match(endpoint.path, given);
    return params ? [{ endpoint, params }] : [];
  });
  const found = fitting.find(({ endpoint }) => endpoint.method === method);
  if (found) return found;
  const known = fitting.map(({ endpoint }) => endpoint.method).join(', ');
  throw known === ''
    ? new CatalogError(404, 'NotFoundException', `the catalog has no ${segments.join('/') || 'such path'}`)
    : new CatalogError(405, 'UnsupportedOperationException', `${method} is not offered here, only ${known}`);
}

function match(path: string, given: readonly string[]): Record<string, string> | undefined {
  const wanted = path.split('/').slice(1);
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, name] of wanted.entries()) {
    if (name.startsWith('{')) params[name.slice(1, -1)] = given[i] ?? '';
    else if (name !== given[i]) return undefined;
  }
  return params;
}

async function readText({ request, response }: RawExchange, isPublic: boolean): Promise<string> {
  const [bodies, limit] = isPublic ? [anonymousBodies, maxAnonymousBody] : [heldBodies, maxBody];
  await bodies.holdFor(response, Math.min(limit, Number(request.headers['content-length'] ?? limit)));
  if (request.headers.expect !== undefined) response.writeContinue();
  const body = await readBody(request, {
    limit,
    tooLarge: () => new CatalogError(413, 'BadRequestException', `the body has more than ${limit} bytes`),
    tooSlow: () => new CatalogError(408, 'BadRequestException', 'the body took more than a minute'),
  });
  return body.toString('utf8');
}

/** Where the client believes to be: its data files are there, too. */
function originOf({ request, secure }: RawExchange): string {
  const forwarded = request.headers['x-forwarded-proto'];
  return `${secure || forwarded === 'https' ? 'https' : 'http'}://${request.headers.host ?? ''}`;
}
