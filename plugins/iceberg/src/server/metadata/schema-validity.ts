/** What readers demand of a schema. */
import { CatalogError } from '../errors.js';
import { isObject, plainText } from '../exact-json.js';
import type { JsonObject } from '../exact-json.js';
import type { Schema } from './model.js';

const bad = (message: string): CatalogError => new CatalogError(400, 'IllegalArgumentException', message);

const primitives = new Set([
  'boolean', 'int', 'long', 'float', 'double', 'date', 'time', 'timestamp', 'timestamptz', 'string', 'uuid', 'binary',
]); // biome-ignore format: a list of words
/** Since format version 3. */
const newPrimitives = new Set(['timestamp_ns', 'timestamptz_ns', 'unknown', 'variant', 'geometry', 'geography']);
const maxDigits = 38;

/** @throws CatalogError 400. */
export function checkSchema(schema: Schema, formatVersion: number): void {
  const ids = new Set<number>();
  for (const { id, type, name } of parts(schema)) {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= 2 ** 31)
      throw bad(`the id ${plainText(id)} of ${name} is not a number of a field`);
    if (ids.has(id)) throw bad(`the schema has the field id ${id} twice`);
    ids.add(id);
    if (typeof type === 'string') checkPrimitive(type, name, formatVersion);
    else if (!isObject(type)) throw bad(`${name} has the type ${plainText(type)}, which is not known`);
  }
  const identifiers = schema['identifier-field-ids'];
  for (const id of Array.isArray(identifiers) ? identifiers : [])
    if (!ids.has(id as number)) throw bad(`the identifier field ${plainText(id)} is not a field of the schema`);
}

/** Ids of all fields, elements, keys and values. */
export function schemaIds(schema: Schema): Set<number> {
  return new Set([...parts(schema)].flatMap(({ id }) => (typeof id === 'number' ? [id] : [])));
}

interface Part {
  readonly id: unknown;
  readonly type: unknown;
  /** For messages. */
  readonly name: string;
}

/** Fields of structs, elements of lists, keys and values of maps; how deep they may be is checked before. */
function* parts(schema: Schema): Generator<Part> {
  const waiting: Part[] = [{ id: undefined, type: { type: 'struct', fields: schema.fields }, name: 'the schema' }];
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    const { type, name: outer } = at;
    if (!isObject(type)) continue;
    const inner = innerParts(type, outer);
    yield* inner;
    waiting.push(...inner);
  }
}

function innerParts(type: JsonObject, outer: string): Part[] {
  if (type['type'] === 'list') return [{ id: type['element-id'], type: type['element'], name: `the element of ${outer}` }];
  if (type['type'] === 'map')
    return [
      { id: type['key-id'], type: type['key'], name: `the key of ${outer}` },
      { id: type['value-id'], type: type['value'], name: `the value of ${outer}` },
    ];
  if (type['type'] !== 'struct' || !Array.isArray(type['fields']))
    throw bad(`${outer} has the type ${plainText(type['type'])}, which is not known`);
  const names = new Set<string>();
  return type['fields'].map((field: JsonObject) => {
    const { name } = field;
    if (typeof name !== 'string' || name === '') throw bad(`a field of ${outer} needs a name`);
    if (names.has(name)) throw bad(`${outer} has two fields named ${name}`);
    if (typeof field['required'] !== 'boolean') throw bad(`the field ${name} does not say whether it is required`);
    names.add(name);
    return { id: field['id'], type: field['type'], name: `field ${name}` };
  });
}

function checkPrimitive(type: string, name: string, formatVersion: number): void {
  const text = type.trim();
  if (primitives.has(text)) return;
  if (newPrimitives.has(text) || /^(geometry|geography) ?\(/.test(text)) {
    if (formatVersion < 3)
      throw bad(`${name} has the type ${text.slice(0, 100)}, which needs format version 3; the table has ${formatVersion}`);
    return;
  }
  if (/^fixed\[ {0,9}\d{1,9} {0,9}\]$/.test(text)) return;
  const [, digits, scale] = /^decimal\( {0,9}(\d{1,3}) {0,9}, {0,9}(\d{1,3}) {0,9}\)$/.exec(text) ?? [];
  if (digits === undefined || scale === undefined) throw bad(`${name} has the type ${text.slice(0, 100)}, which is not known`);
  if (Number(digits) < 1 || Number(digits) > maxDigits) throw bad(`${name} has the type ${text}; a decimal has 1 to ${maxDigits} digits`);
}
