/** The endpoint as routes of the listener. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.js';
import { asked } from './page.js';
import { isRecord } from './patch.js';
import { ScimError, presentError, scimErrorOf } from './scim-error.js';
import { queryOf, searchAll } from './search.js';
import type { Request, ResponseToolkit, Server } from '@hapi/hapi';
import type { Logger } from '@srv/kernel';
import type { scimGroups } from './groups.js';
import type { Lists } from './search.js';
import type { scimUsers } from './users.js';

const scimType = 'application/scim+json';
/** Bytes of a body. */
const largestBody = 2 * 1024 * 1024;

interface RouteParts {
  readonly path: string;
  readonly token: string;
  readonly users: ReturnType<typeof scimUsers>;
  /** Absent: the mode has no groups. */
  readonly groups: ReturnType<typeof scimGroups> | undefined;
  readonly log: Logger;
}

type Method = '*' | 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Query = Readonly<Record<string, unknown>>;

interface Call {
  readonly id: string;
  readonly query: Query;
  readonly body: unknown;
}

export function addScimRoutes(server: Server, { path, token, users, groups, log }: RouteParts): void {
  const add = (method: Method, below: string, status: number, handle: (call: Call) => unknown): void => {
    server.route({
      method,
      path: `${path}${below}`,
      options: {
        ...(method === 'GET' || method === 'DELETE' || method === '*'
          ? {}
          : { payload: { parse: true, allow: ['application/json', 'application/scim+json'], failAction: 'error', maxBytes: largestBody } }),
        // Nothing of a body is parsed for other callers.
        ext: { onPreAuth: { method: (request, h) => (isCaller(request, token) ? h.continue : refuse(h)) } },
      },
      async handler(request, h) {
        const { id = '' } = request.params as { id?: string };
        try {
          const query = request.query as Query;
          const body = await handle({ id, query, body: request.payload });
          if (method !== 'GET' && !below.endsWith('/.search')) log.info({ method, path: request.path }, 'identity changed by provisioning');
          return send(h, status, method === 'GET' ? shown(body, query) : body);
        } catch (error) {
          const known = scimErrorOf(error);
          if (!known) throw error;
          return send(h, known.status, presentError(known));
        }
      },
    });
  };
  presentOthers(server, path);
  const needGroups = (): NonNullable<typeof groups> => {
    if (!groups) throw new ScimError(501, 'this server has no groups: set auth.ui_config.rbac to internal or simplified');
    return groups;
  };

  add('GET', '/ServiceProviderConfig', 200, () => serviceProviderConfig);
  for (const [place, list] of [
    ['/ResourceTypes', resourceTypes],
    ['/Schemas', schemas],
  ] as const) {
    add('GET', place, 200, () => list);
    add('GET', `${place}/{id}`, 200, ({ id }) => list.Resources.find(found => 'id' in found && found.id === id) ?? notFound());
  }
  for (const fixed of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas'])
    add('*', fixed, 405, () => {
      throw new ScimError(405, `${fixed} can only be read`);
    });
  add('*', '/{any*}', 404, notFound);
  const search = (place: string, lists: () => readonly Lists[]): void =>
    add('POST', `${place}/.search`, 200, async ({ body }) => {
      const query = queryOf(body);
      return shown(await searchAll(query, lists()), query);
    });
  search('', () => [users.list, ...(groups ? [groups.list] : [])]);
  search('/Users', () => [users.list]);
  search('/Groups', () => [needGroups().list]);
  add('GET', '/Users', 200, ({ query }) => users.list(query));
  add('POST', '/Users', 201, ({ body }) => users.create(body));
  add('GET', '/Users/{id}', 200, ({ id }) => users.get(id));
  add('PUT', '/Users/{id}', 200, ({ id, body }) => users.replace(id, body));
  add('PATCH', '/Users/{id}', 200, ({ id, body }) => users.patch(id, body));
  add('DELETE', '/Users/{id}', 204, ({ id }) => users.delete(id));
  add('GET', '/Groups', 200, ({ query }) => needGroups().list(query));
  add('POST', '/Groups', 201, ({ body }) => needGroups().create(body));
  add('GET', '/Groups/{id}', 200, ({ id, query }) => needGroups().get(id, query));
  add('PUT', '/Groups/{id}', 200, ({ id, body }) => needGroups().replace(id, body));
  add('PATCH', '/Groups/{id}', 200, ({ id, body }) => needGroups().patch(id, body));
  add('DELETE', '/Groups/{id}', 204, ({ id }) => needGroups().delete(id));
}

/** Refusals before a route is reached, such as of a body that is not JSON, and faults of the server have the same form. */
function presentOthers(server: Server, path: string): void {
  server.ext('onPreResponse', (request, h) => {
    const { response } = request;
    const isOurs = request.path === path || request.path.startsWith(`${path}/`);
    if (!isOurs || !('statusCode' in response) || response.statusCode < 400 || response.headers['content-type'] === scimType)
      return h.continue;
    const { statusCode: status, headers } = response;
    const error = new ScimError(status, messageIn(response.source), status === 400 ? 'invalidSyntax' : undefined);
    const answer = send(h, status, presentError(error));
    for (const [name, value] of Object.entries(headers)) if (!name.startsWith('content-')) answer.header(name, String(value));
    return answer;
  });
}

/** Of the general form of errors. */
function messageIn(source: unknown): string {
  try {
    const parsed: unknown = JSON.parse(String(source));
    return isRecord(parsed) && typeof parsed['message'] === 'string' ? parsed['message'] : 'request failed';
  } catch {
    return 'request failed';
  }
}

function notFound(): never {
  throw new ScimError(404, 'no such resource');
}

/** What the request asks for of a resource, or of each in a list. */
function shown(body: unknown, query: Query): unknown {
  if (!isRecord(body) || (query['attributes'] ?? query['excludedAttributes']) === undefined) return body;
  const { Resources: items } = body;
  return Array.isArray(items)
    ? { ...body, Resources: items.map(item => (isRecord(item) ? asked(item, query) : item)) }
    : asked(body, query);
}

function isCaller({ headers }: Request, token: string): boolean {
  const { authorization = '' } = headers as { authorization?: string };
  const space = authorization.indexOf(' ');
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const given = digest(authorization.slice(space + 1).trim());
  return timingSafeEqual(given, digest(token)) && authorization.slice(0, space).toLowerCase() === 'bearer';
}

const refuse = (h: ResponseToolkit) =>
  send(h, 401, presentError(new ScimError(401, 'error authenticating request')))
    .header('WWW-Authenticate', 'Bearer realm="srv"')
    .takeover();

function send(h: ResponseToolkit, status: number, body: unknown) {
  return body === undefined
    ? h.response().code(status)
    : h.response(JSON.stringify(body)).code(status).type(scimType).header('Cache-Control', 'no-store');
}
