/**
 * Patches of RFC 7644 (section 3.5.2) in the spellings of the large providers: `Add` for `add`, texts for booleans, values
 * without a path, members that are removed by value instead of by a filter.
 */
import { Pace } from '@srv/kernel';
import { attributeOf, parsePath, satisfies } from './filter.js';
import { ScimError } from './scim-error.js';

/** Of one patch. */
const mostOperations = 1000;

/** In objects of attributes they are ignored: providers send back what they received. */
const readOnly: readonly string[] = ['id', 'meta'];

export type Resource = Record<string, unknown>;

/**
 * The resource after the operations of the body; the one given stays as it is. Groups are large and patches long: others get their
 * turn between operations. @throws ScimError 400.
 */
export async function patched(resource: Readonly<Resource>, body: unknown): Promise<Resource> {
  const operations = isRecord(body) ? (memberOf(body, 'operations') ?? []) : undefined;
  if (!Array.isArray(operations)) throw new ScimError(400, 'a patch needs a list of Operations', 'invalidSyntax');
  if (operations.length > mostOperations)
    throw new ScimError(400, `${operations.length} operations: at most ${mostOperations} are possible`, 'invalidValue');
  const result = structuredClone(resource) as Resource;
  const pace = new Pace();
  for (let at = 0; at < operations.length; ) {
    await pace.rest();
    const removed = membersRemoved(operations, at);
    if (removed.length > 0) removeMembers(result, new Set(removed));
    else apply(result, operations[at]);
    at += Math.max(1, removed.length);
  }
  return result;
}

/** Members that the operations from `at` on remove one by one, as some providers do it. */
function membersRemoved(operations: readonly unknown[], at: number): readonly string[] {
  const removed: string[] = [];
  for (const operation of operations.slice(at)) {
    const path = isRecord(operation) && String(memberOf(operation, 'op')).toLowerCase() === 'remove' && memberOf(operation, 'path');
    const [, member] = /^members\[value eq "([^"\\]*)"\]$/i.exec(typeof path === 'string' ? path : '') ?? [];
    if (member === undefined) break;
    removed.push(member);
  }
  return removed;
}

function removeMembers(resource: Resource, removed: ReadonlySet<string>): void {
  const members = listAt(resource, 'members');
  resource['members'] = members.filter(item => {
    const value = itemValue(item);
    return typeof value !== 'string' || !removed.has(value);
  });
}

function apply(resource: Resource, operation: unknown): void {
  if (!isRecord(operation)) throw new ScimError(400, 'an operation of a patch must be an object', 'invalidSyntax');
  const [op, path, value] = [memberOf(operation, 'op'), memberOf(operation, 'path'), memberOf(operation, 'value')];
  const kind = typeof op === 'string' ? op.toLowerCase() : '';
  if (kind !== 'add' && kind !== 'replace' && kind !== 'remove')
    throw new ScimError(400, `operation ${JSON.stringify(op)} is not one of add, replace, remove`, 'invalidSyntax');
  if (path === undefined || path === '') {
    if (kind === 'remove') throw new ScimError(400, 'a removal needs a path', 'invalidPath');
    if (!isRecord(value))
      throw new ScimError(400, 'an operation without a path needs an object of attributes as its value', 'invalidValue');
    // Keys may be paths themselves: `name.givenName`, `emails[type eq "work"].value`.
    for (const [name, part] of Object.entries(value)) change(resource, kind, name, part);
    return;
  }
  if (typeof path !== 'string') throw new ScimError(400, `path ${JSON.stringify(path)} must be a text`, 'invalidPath');
  const [name = ''] = attributeOf(path);
  if (readOnly.includes(name)) throw new ScimError(400, `${name} cannot be changed`, 'mutability');
  change(resource, kind, path, value);
}

function change(resource: Resource, kind: 'add' | 'replace' | 'remove', text: string, value: unknown): void {
  const { path, filter, sub } = text.startsWith('urn:') && attributeOf(text).length === 1 ? { path: attributeOf(text) } : parsePath(text);
  refuseForeign(text, sub === undefined ? path : [...path, sub]);
  const [name = '', ...below] = path;
  const key = keyOf(resource, name);
  if (below.length > 1) throw new ScimError(400, `path ${JSON.stringify(text)} is deeper than any attribute`, 'invalidPath');
  if (filter) {
    const items = listAt(resource, key);
    const matching = items.filter(item => satisfies(item, filter, path));
    if (kind === 'remove') {
      if (sub === undefined) resource[key] = items.filter(item => !matching.includes(item));
      else for (const item of matching) if (isRecord(item)) delete item[keyOf(item, sub)];
      return;
    }
    if (matching.length === 0)
      resource[key] = [...items, { ...itemOf(filter), ...(sub === undefined ? asRecord(value) : { [sub]: single(value) }) }];
    for (const item of matching)
      if (isRecord(item)) Object.assign(item, sub === undefined ? asRecord(value) : { [keyOf(item, sub)]: single(value) });
    return;
  }
  const [member] = below;
  if (member !== undefined) {
    const parent = isRecord(resource[key]) ? (resource[key] as Resource) : {};
    if (kind === 'remove') delete parent[keyOf(parent, member)];
    else parent[keyOf(parent, member)] = single(value);
    resource[key] = parent;
    return;
  }
  changeWhole(resource, key, kind, value);
}

const lists: readonly string[] = ['members', 'emails'];

function changeWhole(resource: Resource, key: string, kind: 'add' | 'replace' | 'remove', value: unknown): void {
  if (!lists.includes(key)) {
    if (kind === 'remove') delete resource[key];
    else resource[key] = isRecord(value) && isRecord(resource[key]) ? { ...(resource[key] as Resource), ...value } : single(value);
    return;
  }
  const given = value === undefined || value === null ? [] : Array.isArray(value) ? (value as readonly unknown[]) : [value];
  const items = listAt(resource, key);
  const values = new Set(given.map(itemValue));
  if (kind === 'replace') resource[key] = [...given];
  else if (kind === 'add') resource[key] = [...items.filter(item => !values.has(itemValue(item))), ...given];
  else resource[key] = given.length === 0 ? [] : items.filter(item => !values.has(itemValue(item)));
}

/** What a new item must have so that it satisfies a filter: `type eq "work"`. */
function itemOf(filter: NonNullable<ReturnType<typeof parsePath>['filter']>): Resource {
  if (filter.kind === 'compare' && filter.op === 'eq') return { [filter.path.join('.')]: filter.value };
  return filter.kind === 'and' ? Object.assign({}, ...filter.filters.map(itemOf)) : {};
}

/** Some providers send `[{"value": x}]` for x. */
function single(value: unknown): unknown {
  const [first] = Array.isArray(value) && value.length === 1 ? (value as readonly unknown[]) : [];
  return isRecord(first) && Object.keys(first).length === 1 && 'value' in first ? first['value'] : value;
}

const itemValue = (item: unknown): unknown => (isRecord(item) ? (memberOf(item, 'value') ?? item) : item);
const asRecord = (value: unknown): Resource => (isRecord(value) ? value : { value });

/** Members that every object of JavaScript has are never attributes. @throws ScimError 400 `invalidPath`. */
function refuseForeign(text: string, names: readonly string[]): void {
  const foreign = names.find(name => name in Object.prototype);
  if (foreign !== undefined) throw new ScimError(400, `path ${JSON.stringify(text)}: ${foreign} is not an attribute`, 'invalidPath');
}

function listAt(resource: Resource, key: string): readonly unknown[] {
  const found = resource[key];
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}

const known = ['userName', 'externalId', 'displayName', 'active', 'emails', 'name', 'members'];

/** How an attribute is spelled here, whatever the case of a client. */
function keyOf(resource: Resource, name: string): string {
  const lower = name.toLowerCase();
  return known.find(key => key.toLowerCase() === lower) ?? Object.keys(resource).find(key => key.toLowerCase() === lower) ?? name;
}

export function isRecord(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member, whatever the case of its name. */
export function memberOf(record: Readonly<Resource>, name: string): unknown {
  const lower = name.toLowerCase();
  const key = Object.keys(record).find(found => found.toLowerCase() === lower);
  return key === undefined ? undefined : record[key];
}
