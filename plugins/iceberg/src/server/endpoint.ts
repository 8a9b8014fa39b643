/** One call of the protocol as data, and what it gets. */

import { CatalogError } from './errors.js';
import { isObject, parseExact } from './exact-json.js';
import { checkParts, fullName, partsOf } from './names.js';
import { namespacePlace } from './storage/places.js';
import type { Engine } from '@srv/engine/contract';
import type { HttpResponse } from '@srv/http/contract';
import type { Identity } from '@srv/kernel';
import type { FaceRequest } from '@srv/lib-api/http';
import type { BranchCommits } from './branch-commits.js';
import type { TemporaryKeys } from './credentials.js';
import type { JsonObject } from './exact-json.js';
import type { IdempotentRequests } from './idempotency.js';
import type { Schema } from './metadata/model.js';
import type { NamespacePlace, Scope, TablePlace } from './names.js';
import type { NamePage, Namespaces } from './namespaces.js';
import type { StoreAccess } from './store-access.js';
import type { SystemTables } from './system/system-tables.js';
import type { Tables } from './tables.js';
import type { Views } from './views/views.js';

export interface CatalogParts {
  readonly engine: Engine;
  readonly identity: Identity;
  readonly namespaces: Namespaces;
  readonly tables: Tables;
  readonly systemTables: SystemTables;
  readonly views: Views;
  readonly commits: BranchCommits;
  readonly requests: IdempotentRequests;
  readonly keys: TemporaryKeys;
  readonly storeAccess: StoreAccess;
  /** Milliseconds. */
  readonly tokenDuration: number;
}

export interface CatalogCall extends CatalogParts {
  readonly scope: Scope;
  /** Segments of the path that the endpoint names, still encoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** `http://host:port` as the client sees it. */
  readonly origin: string;
  /** Address of the caller. */
  readonly from: string;
  /** The body, whole. */
  text(): Promise<string>;
}

/** A call whose caller is known. */
export interface UserCall extends CatalogCall {
  readonly face: FaceRequest;
}

/** Says what a call has changed on a branch. @param what as in `create table sales.books`. */
export function changed({ commits, face }: UserCall, place: Pick<NamespacePlace, 'repository' | 'ref'>, what: string): Promise<void> {
  return commits.after(face, place, what);
}

interface EndpointFacts {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** After `/v1/{prefix}`; `{name}` is one segment. */
  readonly path: string;
  /** For audit lines and metrics. */
  readonly name: string;
  /** Whether the call changes something, so that clients may repeat it with an idempotency key. */
  readonly isChange?: true;
}

export interface PublicEndpoint extends EndpointFacts {
  readonly access: 'public';
  /** After `/v1`, without the prefix. */
  handle(call: CatalogCall): Promise<HttpResponse>;
}

export interface UserEndpoint extends EndpointFacts {
  readonly access?: 'user';
  handle(call: UserCall): Promise<HttpResponse>;
}

export type Endpoint = PublicEndpoint | UserEndpoint;

/** @throws CatalogError 400. */
export async function bodyOf(call: CatalogCall): Promise<JsonObject> {
  const body = await parseExact(await call.text());
  if (!isObject(body)) throw new CatalogError(400, 'BadRequestException', 'the body must be a JSON object');
  return body;
}

/** The namespace that the path names. */
export function namespaceOf({ scope, params }: CatalogCall): NamespacePlace {
  return namespacePlace(fullName(scope, partsOf(params['namespace'] ?? '')));
}

/** The table that the path names. */
export function tableOf(call: CatalogCall): TablePlace {
  return { ...namespaceOf(call), table: partOf(call, 'table') };
}

/** A name of one part. */
export function partOf({ params }: CatalogCall, param: 'table' | 'view'): string {
  const [name = '', ...more] = partsOf(params[param] ?? '');
  if (more.length > 0) throw new CatalogError(400, 'BadRequestException', `the name of a ${param} has one part`);
  return name;
}

/** A table or a view that the body names. @throws CatalogError 400. */
export function identifierOf(call: CatalogCall, body: JsonObject, member: string): TablePlace {
  const named = body[member];
  if (!isObject(named)) throw new CatalogError(400, 'BadRequestException', `${member} is missing`);
  const namespace = nameList(named['namespace'], `namespace of ${member}`);
  checkParts(namespace);
  return { ...namespacePlace(fullName(call.scope, namespace)), table: nameOf(named['name']) };
}

/** @throws CatalogError 400. */
export function nameOf(value: unknown): string {
  if (typeof value !== 'string') throw new CatalogError(400, 'BadRequestException', 'the name of the table is missing');
  checkParts([value]);
  return value;
}

/** @throws CatalogError 400 for a member without a list of fields. */
export function fieldedOf<T extends JsonObject>(body: JsonObject, member: string): T | undefined {
  const value = body[member];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value) || !Array.isArray(value['fields']) || !value['fields'].every(isObject))
    throw new CatalogError(400, 'BadRequestException', `${member} must have a list of fields`);
  return value as T;
}

/** @throws CatalogError 400 without one. */
export function schemaOf(body: JsonObject, member: string): Schema {
  const schema = fieldedOf<Schema>(body, member);
  if (!schema) throw new CatalogError(400, 'BadRequestException', `${member} is missing`);
  return schema;
}

/** @throws CatalogError 400 for a member that is not a list of names. */
export function nameList(value: unknown, member: string): string[] {
  if (!Array.isArray(value) || !value.every(part => typeof part === 'string'))
    throw new CatalogError(400, 'BadRequestException', `${member} must be a list of texts`);
  return value;
}

/** @throws CatalogError 400 for a member that is not an object of texts. */
export function textMap(value: unknown, member: string): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isObject(value) || !Object.values(value).every(text => typeof text === 'string'))
    throw new CatalogError(400, 'BadRequestException', `${member} must be an object of texts`);
  return value as Record<string, string>;
}

/** @throws CatalogError 400 for a member that is not a list of objects. */
export function objectList(value: unknown, member: string): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every(isObject))
    throw new CatalogError(400, 'BadRequestException', `${member} must be a list of objects`);
  return value;
}

/** Each may be compared with all that is there. @bound updates of a table or a view in one commit */
const maxUpdates = 1000;

/**
 * The updates of a commit. Removals of snapshots that follow each other are one, as engines send one for each of many snapshots.
 * @throws CatalogError 400, also for too many.
 */
export function updatesOf(body: JsonObject): JsonObject[] {
  const updates: JsonObject[] = [];
  let removed: unknown[] = [];
  for (const update of objectList(body['updates'], 'updates')) {
    const ids = update['action'] === 'remove-snapshots' ? update['snapshot-ids'] : undefined;
    const continues = Array.isArray(ids) && updates.at(-1)?.['snapshot-ids'] === removed;
    if (!continues) {
      removed = [];
      updates.push(Array.isArray(ids) ? { ...update, 'snapshot-ids': removed } : update);
    }
    for (const id of Array.isArray(ids) ? ids : []) removed.push(id);
  }
  if (updates.length <= maxUpdates) return updates;
  const reason = `a commit has at most ${maxUpdates} updates of a table or a view, not ${updates.length}; make several commits`;
  throw new CatalogError(400, 'BadRequestException', reason);
}

/** Names of a page at most, unless the caller asks for fewer. */
const defaultPage = 1000;

export interface PageAsked {
  readonly after: string;
  readonly amount: number;
}

/**
 * The page of names that a caller asks for, or all of them for one that sends no `pageToken`, as the protocol demands.
 * @param list lists one page. @throws CatalogError 400.
 */
export async function listed(query: URLSearchParams, list: (page: PageAsked) => Promise<NamePage>): Promise<NamePage> {
  const size = query.get('pageSize') ?? '';
  if (!/^\d{0,18}$/.test(size) || /^0+$/.test(size))
    throw new CatalogError(400, 'BadRequestException', `pageSize ${size} is not a number from 1 on`);
  const token = query.get('pageToken');
  if (token !== null) return list({ after: token, amount: Math.min(size === '' ? defaultPage : Number(size), defaultPage) });
  const names: (readonly string[])[] = [];
  for (let after = ''; ; ) {
    const page = await list({ after, amount: defaultPage });
    for (const name of page.names) names.push(name);
    if (page.next === undefined) return { names };
    after = page.next;
  }
}
