/**
 * Schemas of Avro files, as their writers left them. Fields of Iceberg are found by the ids that it gives them, whatever their names.
 *
 * The reader is our own: a list of three bytes can claim 2^60 items, and the usual library creates them before it looks for the
 * end of the bytes. Here every value that is read takes bytes or counts against a bound.
 */
import { AvroError } from './error.js';

/** What values mean beyond their type, such as `decimal` or `timestamp-micros`. */
export interface AvroMeaning {
  readonly name: string;
  /** Digits, and those after the point, of a decimal. */
  readonly precision: number;
  readonly scale: number;
}

export type AvroType =
  | {
      readonly kind: 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string';
      readonly meaning?: AvroMeaning | undefined;
    }
  | { readonly kind: 'fixed'; readonly size: number; readonly meaning?: AvroMeaning | undefined }
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'array' | 'map'; readonly items: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] }
  | { readonly kind: 'record'; readonly fields: readonly AvroField[] };

interface AvroField {
  readonly name: string;
  /** `undefined`: not a field of Iceberg. */
  readonly id: number | undefined;
  readonly type: AvroType;
}

export type AvroRecord = Extract<AvroType, { kind: 'record' }>;

/** Characters of the longest schema: tables of thousands of columns stay far below. */
const maxText = 8 << 20;
const maxDepth = 64;
/** Types in a schema. */
const maxTypes = 100_000;

const primitives = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const;

/** @throws AvroError for a schema that is malformed, refers to itself, or is not of records. */
export function parseSchema(text: string): AvroRecord {
  if (text.length > maxText) throw new AvroError(`its schema has more than ${maxText >> 20} MiB`);
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new AvroError('its schema is not JSON', { cause: error });
  }
  const type = new SchemaReader().read(read, 0);
  if (type.kind !== 'record') throw new AvroError('it does not hold records');
  return type;
}

class SchemaReader {
  readonly #named = new Map<string, AvroType>();
  #count = 0;

  /** @param space namespace of what is around it. */
  read(given: unknown, depth: number, space = ''): AvroType {
    if (depth > maxDepth || ++this.#count > maxTypes) throw new AvroError('its schema is nested too deeply, or has too many types');
    if (typeof given === 'string') return this.#byName(given, space);
    if (Array.isArray(given)) return { kind: 'union', branches: given.map(branch => this.read(branch, depth + 1, space)) };
    if (!isMembers(given)) throw new AvroError('its schema is malformed');
    const { type } = given;
    if (type === 'array') return { kind: type, items: this.read(given['items'], depth + 1, space) };
    if (type === 'map') return { kind: type, items: this.read(given['values'], depth + 1, space) };
    const name = fullName(given, space);
    if (type === 'enum') return this.#name(name, { kind: type, symbols: symbolsOf(given['symbols']) });
    if (type === 'fixed') return this.#name(name, { kind: type, size: sizeOf(given['size']), meaning: meaningOf(given) });
    if (type === 'record') {
      const fields = this.#fields(given['fields'], depth + 1, name.slice(0, Math.max(0, name.lastIndexOf('.'))));
      return this.#name(name, { kind: type, fields });
    }
    const read = this.read(type, depth + 1, space);
    return isPrimitive(read) ? { ...read, meaning: meaningOf(given) } : read;
  }

  #fields(given: unknown, depth: number, space: string): AvroField[] {
    if (!Array.isArray(given)) throw new AvroError('a record of its schema has no fields');
    return given.map(field => {
      if (!isMembers(field) || typeof field['name'] !== 'string') throw new AvroError('a field of its schema has no name');
      const id = field['field-id'];
      return { name: field['name'], id: typeof id === 'number' ? id : undefined, type: this.read(field['type'], depth, space) };
    });
  }

  /** Types have their names from their end on, so that none contains itself. */
  #name<T extends AvroType>(name: string, type: T): T {
    this.#named.set(name, type);
    return type;
  }

  #byName(name: string, space: string): AvroType {
    const kind = primitives.find(known => known === name);
    if (kind) return { kind };
    const known = this.#named.get(fullName({ name }, space)) ?? this.#named.get(name);
    if (!known) throw new AvroError(`its schema names the type ${JSON.stringify(name.slice(0, 100))}, which it does not define before`);
    return known;
  }
}

function fullName({ name, namespace }: Readonly<Record<string, unknown>>, around: string): string {
  const own = typeof name === 'string' ? name : '';
  const space = typeof namespace === 'string' ? namespace : around;
  return own.includes('.') || space === '' ? own : `${space}.${own}`;
}

const isPrimitive = (type: AvroType): type is Extract<AvroType, { meaning?: unknown }> & { kind: (typeof primitives)[number] } =>
  primitives.some(kind => kind === type.kind);

/** Digits that a decimal of any writer has at most. */
const mostDigits = 10_000;

function meaningOf({ logicalType: name, precision, scale }: Readonly<Record<string, unknown>>): AvroMeaning | undefined {
  if (typeof name !== 'string') return undefined;
  const digits = (given: unknown): number =>
    typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= mostDigits ? given : 0;
  return { name, precision: digits(precision), scale: digits(scale) };
}

function symbolsOf(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.filter(symbol => typeof symbol === 'string') : [];
}

function sizeOf(given: unknown): number {
  if (typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= 1 << 16) return given;
  throw new AvroError('a type of its schema has an impossible size');
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
