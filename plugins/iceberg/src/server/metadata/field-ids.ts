/** Ids of the fields of a schema. */
import { CatalogError, type ErrorType } from '../errors.js';
import { isObject, plainNumber } from '../exact-json.js';
import type { JsonObject } from '../exact-json.js';
import type { Schema } from './model.js';

/** Types within types: deeper ones are refused. */
const maxDepth = 100;
const badSchema: ErrorType = 'IllegalArgumentException';

export interface Renumbered {
  readonly schema: Schema;
  /** Old id → new id. */
  readonly ids: ReadonlyMap<number, number>;
  readonly lastId: number;
}

/** Gives every field of a new table a new id, from 1 on: first those of a struct, then those inside of them. */
export function renumbered(schema: Schema): Renumbered {
  const ids = new Map<number, number>();
  let lastId = 0;
  const next = (old: unknown): number => {
    lastId++;
    if (typeof old === 'number') ids.set(old, lastId);
    return lastId;
  };
  const typeOf = (type: unknown, depth: number): unknown => {
    if (!isObject(type)) return type;
    if (depth > maxDepth) throw new CatalogError(400, badSchema, `the schema has types nested more than ${maxDepth} deep`);
    if (type['type'] === 'struct') return { ...type, fields: fieldsOf(type['fields'], depth) };
    if (type['type'] === 'list') {
      const id = next(type['element-id']);
      return { ...type, 'element-id': id, element: typeOf(type['element'], depth + 1) };
    }
    if (type['type'] === 'map') {
      const [key, value] = [next(type['key-id']), next(type['value-id'])];
      return { ...type, 'key-id': key, 'value-id': value, key: typeOf(type['key'], depth + 1), value: typeOf(type['value'], depth + 1) };
    }
    throw new CatalogError(400, badSchema, `the schema has the type ${JSON.stringify(type['type'])}, which is not known`);
  };
  const fieldsOf = (fields: unknown, depth: number): JsonObject[] => {
    const numbered: JsonObject[] = fieldList(fields).map(field => ({ ...field, id: next(field['id']) }));
    return numbered.map(field => ({ ...field, type: typeOf(field['type'], depth + 1) }));
  };
  const fields = fieldsOf(schema.fields, 0);
  const identifiers = schema['identifier-field-ids'];
  const kept = Array.isArray(identifiers) ? { 'identifier-field-ids': identifiers.map(id => ids.get(plainNumber(id)) ?? id) } : {};
  return { schema: { ...schema, type: 'struct', 'schema-id': 0, fields, ...kept }, ids, lastId };
}

/** The highest id of a schema. */
export function highestId(schema: Schema): number {
  let highest = 0;
  const waiting: { readonly type: unknown; readonly depth: number }[] = [{ type: { type: 'struct', fields: schema.fields }, depth: 0 }];
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    const { type, depth } = at;
    if (!isObject(type)) continue;
    if (depth > maxDepth) throw new CatalogError(400, badSchema, `the schema has types nested more than ${maxDepth} deep`);
    for (const name of ['element-id', 'key-id', 'value-id']) if (typeof type[name] === 'number') highest = Math.max(highest, type[name]);
    for (const name of ['element', 'key', 'value']) waiting.push({ type: type[name], depth: depth + 1 });
    if (type['type'] !== 'struct') continue;
    for (const field of fieldList(type['fields'])) {
      if (typeof field['id'] === 'number') highest = Math.max(highest, field['id']);
      waiting.push({ type: field['type'], depth: depth + 1 });
    }
  }
  return highest;
}

function fieldList(fields: unknown): JsonObject[] {
  if (!Array.isArray(fields) || !fields.every(isObject))
    throw new CatalogError(400, badSchema, 'a struct of the schema has no list of fields');
  return fields;
}
