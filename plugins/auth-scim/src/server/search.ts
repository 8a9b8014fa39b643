/** Searches by a body in place of a query (RFC 7644, section 3.4.3), also over users and groups at once. */
import { readListRequest } from './page.js';
import { isRecord, memberOf } from './patch.js';
import { ScimError } from './scim-error.js';
import type { Resource } from './patch.js';

type Query = Readonly<Record<string, unknown>>;
export type Lists = (query: Query) => Promise<Resource>;

const schema = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';

/** The query that says the same. @throws ScimError 400. */
export function queryOf(body: unknown): Query {
  if (!isRecord(body)) throw new ScimError(400, 'a search must be an object', 'invalidSyntax');
  const schemas = memberOf(body, 'schemas');
  if (!Array.isArray(schemas) || !schemas.includes(schema))
    throw new ScimError(400, `schemas: a search has ${schema} in it`, 'invalidSyntax');
  const query: Record<string, string> = {};
  for (const name of ['filter', 'startIndex', 'count', 'attributes', 'excludedAttributes']) {
    const value = memberOf(body, name);
    if (value === undefined || value === null) continue;
    const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!texts.every(text => typeof text === 'string' || typeof text === 'number'))
      throw new ScimError(400, `${name}: ${JSON.stringify(value).slice(0, 200)} cannot be read`, 'invalidValue');
    query[name] = texts.join(',');
  }
  return query;
}

/** One list after the other, as if they were one. */
export async function searchAll(query: Query, lists: readonly Lists[]): Promise<Resource> {
  let { start, count } = readListRequest(query);
  const first = start;
  const found: { total: number; resources: unknown[] } = { total: 0, resources: [] };
  let schemas: unknown;
  for (const list of lists) {
    const page = await list({ ...query, startIndex: String(start), count: String(count) });
    const [total, resources] = [Number(page['totalResults']), page['Resources'] as readonly unknown[]];
    ({ schemas } = page);
    found.total += total;
    found.resources.push(...resources);
    count -= resources.length;
    start = Math.max(1, start - total);
  }
  return { schemas, totalResults: found.total, startIndex: first, itemsPerPage: found.resources.length, Resources: found.resources };
}
