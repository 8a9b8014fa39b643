/** The header `If` (RFC 4918, section 10.4). */
import { DavError } from '../errors.js';

interface Condition {
  readonly negated: boolean;
  readonly kind: 'token' | 'etag';
  readonly value: string;
}

interface ConditionList {
  /** URL that the list is about; absent: that of the request. */
  readonly resource?: string | undefined;
  readonly conditions: readonly Condition[];
}

export interface IfHeader {
  readonly lists: readonly ConditionList[];
}

const maxLists = 100;

/** Reads by hand, from left to right: each character is read once. @throws DavError 400. */
export function parseIf(header: string): IfHeader {
  const lists: ConditionList[] = [];
  let at = 0;
  const refuse = (): never => {
    throw new DavError(400, `the header If cannot be read at character ${at + 1}`);
  };
  const skip = (): void => {
    while (header[at] === ' ' || header[at] === '\t') at++;
  };
  /** Up to a closing character, which is read, too. */
  const until = (end: string): string => {
    const stop = header.indexOf(end, at + 1);
    if (stop < 0) refuse();
    const text = header.slice(at + 1, stop);
    at = stop + 1;
    return text;
  };
  const condition = (): Condition => {
    const negated = header.slice(at, at + 3).toLowerCase() === 'not';
    if (negated) at += 3;
    skip();
    if (header[at] === '<') return { negated, kind: 'token', value: until('>') };
    if (header[at] === '[') return { negated, kind: 'etag', value: until(']') };
    return refuse();
  };
  const list = (): Condition[] => {
    const conditions: Condition[] = [];
    at++;
    for (skip(); header[at] !== ')'; skip()) {
      if (at >= header.length) refuse();
      conditions.push(condition());
    }
    at++;
    return conditions.length > 0 ? conditions : refuse();
  };
  let resource: string | undefined;
  for (skip(); at < header.length; skip()) {
    if (lists.length >= maxLists) throw new DavError(400, `the header If has more than ${maxLists} lists`);
    if (header[at] === '<') {
      resource = until('>');
      skip();
    }
    if (header[at] !== '(') refuse();
    lists.push({ resource, conditions: list() });
  }
  return lists.length > 0 ? { lists } : refuse();
}

/** Tokens that the client shows it knows. */
export function submittedTokens({ lists }: IfHeader): ReadonlySet<string> {
  return new Set(lists.flatMap(({ conditions }) => conditions.filter(({ kind }) => kind === 'token').map(({ value }) => value)));
}

/** What a resource is at the moment: its entity tag, and the tokens of the locks that cover it. */
export interface ResourceState {
  /** Quoted; absent: it has none. */
  readonly etag?: string | undefined;
  readonly tokens: readonly string[];
}

/** Whether one of the lists holds. @param stateOf of a URL; absent: of the request's. */
export async function holds({ lists }: IfHeader, stateOf: (resource: string | undefined) => Promise<ResourceState>): Promise<boolean> {
  for (const { resource, conditions } of lists) {
    const state = await stateOf(resource);
    if (conditions.every(one => matches(one, state))) return true;
  }
  return false;
}

/**
 * What the header demands of the tag of one resource as long as all else, such as locks and other resources, is as it is now.
 * @param isSubject whether a URL is that of the resource; absent: that of the request.
 * @returns whether the header holds with a tag, quoted; `undefined` when it holds with any, and without.
 */
export async function tagDemand(
  { lists }: IfHeader,
  isSubject: (resource: string | undefined) => boolean,
  stateOf: (resource: string | undefined) => Promise<ResourceState>,
): Promise<((etag: string | undefined) => boolean) | undefined> {
  if (!lists.some(({ resource, conditions }) => isSubject(resource) && conditions.some(({ kind }) => kind === 'etag'))) return undefined;
  const demands: (readonly Condition[])[] = [];
  for (const { resource, conditions } of lists) {
    const isOpen = ({ kind }: Condition): boolean => kind === 'etag' && isSubject(resource);
    const settled = conditions.filter(one => !isOpen(one));
    const state: ResourceState = settled.length === 0 ? { tokens: [] } : await stateOf(resource);
    if (settled.every(one => matches(one, state))) demands.push(conditions.filter(isOpen));
  }
  if (demands.some(({ length }) => length === 0)) return undefined;
  return etag => demands.some(tags => tags.every(one => matches(one, { etag, tokens: [] })));
}

function matches({ kind, value, negated }: Condition, { etag, tokens }: ResourceState): boolean {
  const isThere = kind === 'token' ? tokens.includes(value) : etag !== undefined && value.trim() === etag;
  return isThere !== negated;
}
