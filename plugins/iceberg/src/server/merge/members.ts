/** Three-way merge of the members of a table's metadata that are not about snapshots. */
import { isObject, isSame } from '../exact-json.js';
import type { JsonObject } from '../exact-json.js';
import type { TableMetadata } from '../metadata/model.js';

/** Members that belong together, and what people call them. */
const groups: readonly { readonly what: string; readonly members: readonly string[] }[] = [
  { what: 'the format version', members: ['format-version'] },
  { what: 'the location', members: ['location'] },
  { what: 'the schema', members: ['schemas', 'current-schema-id', 'last-column-id'] },
  { what: 'the partitioning', members: ['partition-specs', 'default-spec-id', 'last-partition-id'] },
  { what: 'the sort order', members: ['sort-orders', 'default-sort-order-id'] },
];

/** Members that the merge of snapshots decides, or that follow from others. */
const decidedElsewhere = new Set([
  'table-uuid',
  'last-updated-ms',
  'snapshots',
  'refs',
  'current-snapshot-id',
  'last-sequence-number',
  'snapshot-log',
  'metadata-log',
  'statistics',
  'partition-statistics',
  'next-row-id',
  'properties',
  'schema',
  'partition-spec',
  ...groups.flatMap(({ members }) => members),
]);

export interface MergedMembers {
  readonly metadata: TableMetadata;
  /** What both sides changed in different ways; empty: nothing. */
  readonly clashes: readonly string[];
}

/** @returns the destination with the source's changes since the base. */
export function mergeMembers(base: TableMetadata, destination: TableMetadata, source: TableMetadata): MergedMembers {
  const clashes: string[] = [];
  const merged: JsonObject = { ...destination };
  const take = (what: string, members: readonly string[]): void => {
    const of = (side: JsonObject): unknown[] => members.map(name => side[name]);
    const side = chosen(of(base), of(destination), of(source));
    if (side === 'clash') clashes.push(`both changed ${what}`);
    else if (side === 'source') for (const name of members) setOrDelete(merged, name, source[name]);
  };
  for (const { what, members } of groups) take(what, members);
  for (const name of new Set([base, destination, source].flatMap(side => Object.keys(side))))
    if (!decidedElsewhere.has(name)) take(name, [name]);
  merged['properties'] = mergeMaps(base.properties, destination.properties, source.properties, name =>
    clashes.push(`both changed the property ${name}`),
  );
  return { metadata: merged as TableMetadata, clashes };
}

/** Merges objects member by member. @param clash is called with the names that both sides changed in different ways. */
export function mergeMaps<T>(
  base: Readonly<Record<string, T>>,
  destination: Readonly<Record<string, T>>,
  source: Readonly<Record<string, T>>,
  clash: (name: string) => void,
): Record<string, T> {
  const merged: Record<string, T> = { ...destination };
  for (const name of new Set([...Object.keys(base), ...Object.keys(source)])) {
    const [b, d, s] = [base, destination, source].map(side => (Object.hasOwn(side, name) ? side[name] : undefined));
    const side = chosen(b, d, s);
    if (side === 'clash') clash(name);
    else if (side === 'source') setOrDelete(merged, name, s);
  }
  return merged;
}

/** Which side's value a merge takes. */
function chosen(base: unknown, destination: unknown, source: unknown): 'destination' | 'source' | 'clash' {
  if (isEqual(destination, source) || isEqual(base, source)) return 'destination';
  return isEqual(base, destination) ? 'source' : 'clash';
}

/** As {@link isSame}, also for lists that lack members. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
  return isObject(a) && isObject(b) ? isSame(a, b) : isSame(a ?? null, b ?? null);
}

function setOrDelete<T>(object: Record<string, T>, name: string, value: T | undefined): void {
  if (value === undefined) delete object[name];
  else object[name] = value;
}
