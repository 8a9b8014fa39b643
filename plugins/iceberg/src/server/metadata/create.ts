/** Metadata of a new table. */
import { CatalogError } from '../errors.js';
import { isObject, plainNumber, plainText } from '../exact-json.js';
import { renumbered } from './field-ids.js';
import { defaultFormatVersion, emptyMetadata, newestFormatVersion, partitionIdStart } from './model.js';
import { checkNewParts } from './validity.js';
import type { JsonObject } from '../exact-json.js';
import type { PartitionSpec, Schema, SortOrder, TableMetadata } from './model.js';

export interface NewTable {
  readonly location: string;
  readonly uuid: string;
  readonly schema: Schema;
  readonly spec: PartitionSpec | undefined;
  readonly order: SortOrder | undefined;
  readonly properties: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Engines must not remove files: other branches may need them. */
const keptFiles = { 'gc.enabled': 'false' };

/** @throws CatalogError 400. */
export function newMetadata({ location, uuid, schema: given, spec, order, properties, now }: NewTable): TableMetadata {
  const { 'format-version': version, ...others } = properties;
  const formatVersion = formatVersionOf(version ?? defaultFormatVersion);
  const { schema, ids, lastId } = renumbered(given);
  const fields = (spec?.fields ?? []).map((field, i) => ({ ...withSource(field, ids), 'field-id': partitionIdStart + 1 + i }));
  const sorted = (order?.fields ?? []).map(field => withSource(field, ids));
  const orderId = sorted.length === 0 ? 0 : 1;
  const table: TableMetadata = {
    ...emptyMetadata(location, uuid),
    'format-version': formatVersion,
    'last-updated-ms': now,
    'last-column-id': lastId,
    schemas: [schema],
    'current-schema-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields }],
    'default-spec-id': 0,
    'last-partition-id': partitionIdStart + fields.length,
    'sort-orders': [{ 'order-id': orderId, fields: sorted }],
    'default-sort-order-id': orderId,
    properties: { ...keptFiles, ...others },
    ...(formatVersion >= 3 ? { 'next-row-id': 0 } : {}),
  };
  checkNewParts(table);
  return table;
}

/** @throws CatalogError 400. */
export function formatVersionOf(given: unknown): number {
  const version = plainNumber(given);
  if (!Number.isInteger(version) || version < 1 || version > newestFormatVersion)
    throw new CatalogError(
      400,
      'BadRequestException',
      `format version ${plainText(given)} is not offered; use 1 to ${newestFormatVersion}`,
    );
  return version;
}

function withSource(field: JsonObject, ids: ReadonlyMap<number, number>): JsonObject {
  const source = ids.get(plainNumber(field['source-id']));
  if (!isObject(field) || source === undefined) {
    const name = `${plainText(field['name'] ?? field['transform'])} (source-id ${plainText(field['source-id'])})`;
    throw new CatalogError(400, 'IllegalArgumentException', `the schema has no field for ${name}`);
  }
  return { ...field, 'source-id': source };
}
