/** Lists of RFC 7644 (section 3.4.2): positions from 1 on. */
import { attributeOf, parseFilter, satisfies } from './filter.js';
import { ScimError } from './scim-error.js';
import type { Filter } from './filter.js';
import type { Resource } from './patch.js';

const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
/** Resources of a page. */
const most = 200;
const usual = 100;

export interface ListRequest {
  readonly filter?: Filter | undefined;
  /** From 1 on. */
  readonly start: number;
  readonly count: number;
  readonly withMembers: boolean;
}

export function readListRequest(query: Readonly<Record<string, unknown>>): ListRequest {
  const text = (name: string): string => (typeof query[name] === 'string' ? (query[name] as string) : '');
  const number = (name: string, absent: number): number => {
    const given = text(name);
    if (given === '') return absent;
    if (!/^-?\d+$/.test(given)) throw new ScimError(400, `${name}: ${JSON.stringify(given)} is not a whole number`, 'invalidValue');
    return Math.min(Number(given), Number.MAX_SAFE_INTEGER);
  };
  const filter = text('filter').trim();
  return {
    filter: filter === '' ? undefined : parseFilter(filter),
    start: Math.max(1, number('startIndex', 1)),
    count: Math.min(most, Math.max(0, number('count', usual))),
    withMembers: shows(query, 'members'),
  };
}

/** Shown whatever a request asks for. */
const always = ['schemas', 'id', 'meta'];

/** Whether a request asks for an attribute (RFC 7644, section 3.9). */
function shows({ attributes, excludedAttributes }: Readonly<Record<string, unknown>>, name: string): boolean {
  const wanted = namesOf(attributes);
  return (wanted.size === 0 || wanted.has(name.toLowerCase())) && !namesOf(excludedAttributes).has(name.toLowerCase());
}

/** First parts of the paths in a list; parts of an attribute come with all of it. */
function namesOf(list: unknown): ReadonlySet<string> {
  const names = typeof list === 'string' ? list.split(',').map(name => name.trim()) : [];
  return new Set(names.filter(name => name !== '').map(name => attributeOf(name)[0] ?? ''));
}

/** The attributes of a resource that a request asks for. */
export function asked(resource: Resource, query: Readonly<Record<string, unknown>>): Resource {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => always.includes(name) || shows(query, name)));
}

/** @param items all there are, in a fixed order; `load` is called for those that are shown or filtered. */
export async function listOf<T>(
  items: AsyncIterable<T>,
  { filter, start, count }: ListRequest,
  load: (item: T) => Promise<Resource | undefined>,
): Promise<Resource> {
  const shown: Resource[] = [];
  let total = 0;
  for await (const item of items) {
    const isOnPage = (position: number): boolean => position >= start && shown.length < count;
    if (filter) {
      const resource = await load(item);
      if (!resource || !satisfies(resource, filter)) continue;
      total++;
      if (isOnPage(total)) shown.push(resource);
    } else {
      total++;
      const resource = isOnPage(total) ? await load(item) : undefined;
      if (resource) shown.push(resource);
    }
  }
  return { schemas: [listSchema], totalResults: total, startIndex: start, itemsPerPage: shown.length, Resources: shown };
}

/** What a filter of one equality names: most requests of providers are such. */
export function soleEquality(filter: Filter | undefined): { readonly name: string; readonly value: string } | undefined {
  if (filter?.kind !== 'compare' || filter.op !== 'eq' || typeof filter.value !== 'string') return undefined;
  return { name: filter.path.join('.'), value: filter.value };
}
