/** Metadata of a table, as the table specification of Iceberg writes it. Members that are not named here are kept. */
import { isObject, isWhole, plainNumber, plainText } from '../exact-json.js';
import type { Integer, JsonObject } from '../exact-json.js';

export interface Schema extends JsonObject {
  'schema-id'?: number;
  fields: JsonObject[];
}

export interface PartitionSpec extends JsonObject {
  'spec-id'?: number;
  fields: JsonObject[];
}

export interface SortOrder extends JsonObject {
  'order-id'?: number;
  fields: JsonObject[];
}

export interface Snapshot extends JsonObject {
  'snapshot-id': Integer;
  'timestamp-ms': Integer;
}

export interface SnapshotRef extends JsonObject {
  'snapshot-id': Integer;
  type: 'branch' | 'tag';
}

export interface TableMetadata extends JsonObject {
  'format-version': number;
  'table-uuid': string;
  location: string;
  'last-updated-ms': Integer;
  'last-column-id': number;
  schemas: Schema[];
  'current-schema-id': number;
  'partition-specs': PartitionSpec[];
  'default-spec-id': number;
  'last-partition-id': number;
  'sort-orders': SortOrder[];
  'default-sort-order-id': number;
  properties: Record<string, string>;
  snapshots: Snapshot[];
  refs: Record<string, SnapshotRef>;
  'current-snapshot-id'?: Integer;
  'last-sequence-number': Integer;
  'snapshot-log': JsonObject[];
  'metadata-log': JsonObject[];
  statistics: JsonObject[];
  'partition-statistics': JsonObject[];
}

/** Of new tables that ask for none. */
export const defaultFormatVersion = 2;
export const newestFormatVersion = 3;
/** Field ids of partitions begin above it. */
export const partitionIdStart = 999;

/** Metadata of a table that has nothing yet: what the changes of a staged creation begin with. */
export function emptyMetadata(location: string, uuid: string): TableMetadata {
  return {
    'format-version': defaultFormatVersion,
    'table-uuid': uuid,
    location,
    'last-sequence-number': 0,
    'last-updated-ms': 0,
    'last-column-id': 0,
    schemas: [],
    'current-schema-id': -1,
    'partition-specs': [],
    'default-spec-id': -1,
    'last-partition-id': partitionIdStart,
    'sort-orders': [],
    'default-sort-order-id': -1,
    properties: {},
    snapshots: [],
    refs: {},
    'snapshot-log': [],
    'metadata-log': [],
    statistics: [],
    'partition-statistics': [],
  };
}

/** Metadata as other writers left it, with the members that format version 1 lacks: among them the branch `main`, which is at the current snapshot. */
export function completed(read: JsonObject): TableMetadata {
  const version = plainNumber(read['format-version'] ?? 1);
  const current = read['current-snapshot-id'];
  const isNone = current === undefined || current === null || (isWhole(current) && current < 0);
  const known = isNone ? {} : { 'current-snapshot-id': current };
  const { 'current-snapshot-id': _, ...others } = read;
  const schema = others['schema'] as Schema | undefined;
  const spec = others['partition-spec'] as JsonObject[] | undefined;
  return {
    ...emptyMetadata(plainText(read['location']), plainText(read['table-uuid'] ?? '')),
    ...(schema && !others['schemas'] ? { schemas: [{ 'schema-id': 0, ...schema }], 'current-schema-id': schema['schema-id'] ?? 0 } : {}),
    ...(spec && !others['partition-specs'] ? { 'partition-specs': [{ 'spec-id': 0, fields: spec }], 'default-spec-id': 0 } : {}),
    ...(others['sort-orders'] ? {} : { 'sort-orders': [{ 'order-id': 0, fields: [] }], 'default-sort-order-id': 0 }),
    ...others,
    ...known,
    ...(isNone ? {} : { refs: withMain(others['refs'], current) }),
    'format-version': version,
  } as TableMetadata;
}

/** @returns what is not an object unchanged: it is refused later. */
function withMain(refs: unknown = {}, current: unknown): unknown {
  return isObject(refs) && !Object.hasOwn(refs, 'main') ? { ...refs, main: { 'snapshot-id': current, type: 'branch' } } : refs;
}

const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isObject);
const isFieldList = (value: unknown): boolean => isList(value) && (value as JsonObject[]).every(({ fields }) => isList(fields));
const isSmall = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value);
const isText = (value: unknown): boolean => typeof value === 'string';

/** What members of metadata must be; files come from other programs, too. */
const rules: Readonly<Record<string, (value: unknown) => boolean>> = {
  'format-version': isSmall,
  'table-uuid': isText,
  location: isText,
  'last-updated-ms': isWhole,
  'last-column-id': isSmall,
  schemas: isFieldList,
  'current-schema-id': isSmall,
  'partition-specs': isFieldList,
  'default-spec-id': isSmall,
  'last-partition-id': isSmall,
  'sort-orders': isFieldList,
  'default-sort-order-id': isSmall,
  properties: value => isObject(value) && Object.values(value).every(isText),
  snapshots: value => isList(value) && (value as JsonObject[]).every(one => isWhole(one['snapshot-id']) && isWhole(one['timestamp-ms'])),
  refs: value => isObject(value) && Object.values(value).every(one => isObject(one) && isWhole(one['snapshot-id'])),
  'current-snapshot-id': value => value === undefined || isWhole(value),
  'last-sequence-number': isWhole,
  'snapshot-log': isList,
  'metadata-log': isList,
  statistics: isList,
  'partition-statistics': isList,
  'next-row-id': value => value === undefined || isWhole(value),
  'encryption-keys': value => value === undefined || isList(value),
};

/** The first member that is not what it must be; `undefined`: all are. */
export function malformedMember(metadata: JsonObject): string | undefined {
  return Object.keys(rules).find(name => rules[name]?.(metadata[name]) === false);
}

/** As it is written: readers of format version 1 also need the current schema and spec as members of their own. */
export function toWrite(metadata: TableMetadata): JsonObject {
  if (metadata['format-version'] !== 1) return metadata;
  const schema = metadata.schemas.find(known => known['schema-id'] === metadata['current-schema-id']);
  const spec = metadata['partition-specs'].find(known => known['spec-id'] === metadata['default-spec-id']);
  return { ...metadata, ...(schema ? { schema } : {}), ...(spec ? { 'partition-spec': spec.fields } : {}) };
}
