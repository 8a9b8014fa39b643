/** Values of Avro as they are stored, and their texts. Nested values are texts at once, in the manner of JSON. */
import { floatText } from '../float-text.js';
import { numberOrder } from '../text-order.js';
import { date, decimal, hex, interval, plain, quoted, signed, timeOfDay, timestamp, utf8 } from '../value-text.js';
import { AvroError } from './error.js';
import type { Order, TableColumn } from '../table-file.js';
import type { Leaf } from '../value-text.js';
import type { AvroCursor } from './cursor.js';
import type { AvroMeaning, AvroType } from './schema.js';

type LeafType = Exclude<AvroType, { readonly kind: 'union' | 'record' | 'array' | 'map' }>;
type Stored = null | boolean | bigint | number | string | Uint8Array;

/** A column with the values of a field. */
export function avroColumn(name: string, type: AvroType): TableColumn {
  const leaf = leafOf(type);
  const meaning = leaf && meaningOf(leaf);
  const isNumeric = leaf !== undefined && areNumbers(leaf);
  const scale = meaning?.name === 'decimal' ? meaning.scale : undefined;
  const label = leaf && labelOf(leaf);
  return {
    name,
    type: typeName(type),
    isNumeric,
    text: value => storedText(leaf, value),
    order: value => orderOf(leaf, value),
    label,
    orderOfText: isNumeric ? (text: string) => numberOrder(text, scale) : undefined,
  };
}

/** Reads the value of a column. */
export function readStored(cursor: AvroCursor, type: AvroType): Stored {
  cursor.count();
  if (type.kind !== 'union') return isLeaf(type) ? readLeaf(cursor, type) : nested(cursor, type);
  const branch = cursor.branch(type.branches);
  if (branch.kind === 'null') return null;
  // Of several types: texts are quoted, as among nested values.
  return isLeaf(branch) && leafOf(type) ? readLeaf(cursor, branch) : nested(cursor, branch);
}

const isLeaf = (type: AvroType): type is LeafType => !['union', 'record', 'array', 'map'].includes(type.kind);

/** The type of a column that is not nested, whether or not values may be missing. */
function leafOf(type: AvroType): LeafType | undefined {
  if (type.kind !== 'union') return isLeaf(type) ? type : undefined;
  const [only, ...others] = type.branches.filter(({ kind }) => kind !== 'null');
  return only && others.length === 0 && isLeaf(only) ? only : undefined;
}

const meaningOf = (type: LeafType): AvroMeaning | undefined => ('meaning' in type ? type.meaning : undefined);

/** Name of a type for people. */
function typeName(type: AvroType): string {
  switch (type.kind) {
    case 'union': {
      const names = type.branches.filter(({ kind }) => kind !== 'null').map(typeName);
      return names.length === 1 ? String(names[0]) : `union<${names.join(', ')}>`;
    }
    case 'array':
      return `list<${typeName(type.items)}>`;
    case 'map':
      return `map<${typeName(type.items)}>`;
    case 'record':
      return 'struct';
    default: {
      const { name, precision = 0, scale = 0 } = meaningOf(type) ?? {};
      return name === 'decimal' ? `decimal(${precision},${scale})` : (name ?? type.kind);
    }
  }
}

function areNumbers(type: LeafType): boolean {
  const meaning = meaningOf(type)?.name;
  if (meaning === 'decimal') return type.kind === 'bytes' || type.kind === 'fixed';
  return ['int', 'long', 'float', 'double'].includes(type.kind) && !isTime(type);
}

/** Units of a second, as digits of its fraction; and whether times are in UTC. */
const times: Readonly<Record<string, { readonly digits: number; readonly isUtc: boolean }>> = {
  'timestamp-millis': { digits: 3, isUtc: true },
  'timestamp-micros': { digits: 6, isUtc: true },
  'timestamp-nanos': { digits: 9, isUtc: true },
  'local-timestamp-millis': { digits: 3, isUtc: false },
  'local-timestamp-micros': { digits: 6, isUtc: false },
  'local-timestamp-nanos': { digits: 9, isUtc: false },
};
const clocks: Readonly<Record<string, number>> = { 'time-millis': 3, 'time-micros': 6 };

function isTime(type: LeafType): boolean {
  const name = meaningOf(type)?.name ?? '';
  return (type.kind === 'int' || type.kind === 'long') && (name === 'date' || Object.hasOwn(times, name) || Object.hasOwn(clocks, name));
}

function storedText(leaf: LeafType | undefined, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return leaf ? leafText(leaf, value as Stored).text : String(value);
}

function orderOf(leaf: LeafType | undefined, value: unknown): Order {
  if (value === null || value === undefined) return null;
  if (leaf && value instanceof Uint8Array && meaningOf(leaf)?.name === 'decimal') return signed(value);
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return storedText(leaf, value);
}

function labelOf(leaf: LeafType): ((order: number) => string) | undefined {
  const meaning = meaningOf(leaf);
  if (isTime(leaf)) return order => leafText(leaf, BigInt(Math.round(order))).text;
  if (!areNumbers(leaf)) return undefined;
  return meaning?.name === 'decimal' ? order => floatText(order / 10 ** meaning.scale) : floatText;
}

function readLeaf(cursor: AvroCursor, type: LeafType): Stored {
  switch (type.kind) {
    case 'null':
      return null;
    case 'boolean':
      return cursor.boolean();
    case 'int':
    case 'long':
      return cursor.long();
    case 'enum': {
      const symbol = type.symbols[cursor.small()];
      if (symbol === undefined) throw new AvroError('a value of it is not among those that its schema names');
      return symbol;
    }
    case 'float':
      return cursor.float();
    case 'double':
      return cursor.double();
    case 'string': {
      const bytes = cursor.take(cursor.small());
      return utf8(bytes) ?? bytes;
    }
    case 'bytes':
      return cursor.take(cursor.small());
    case 'fixed':
      return cursor.take(type.size);
  }
}

function leafText(type: LeafType, value: Stored): Leaf {
  const meaning = meaningOf(type);
  if (value instanceof Uint8Array) return bytesText(type, meaning, value);
  if (typeof value === 'bigint') return integerText(meaning?.name ?? '', value);
  if (typeof value === 'number') return plain(floatText(value));
  return typeof value === 'string' ? quoted(value) : plain(String(value));
}

function integerText(meaning: string, value: bigint): Leaf {
  if (meaning === 'date') return quoted(date(value));
  const clock = Object.hasOwn(clocks, meaning) ? clocks[meaning] : undefined;
  if (clock !== undefined) return quoted(timeOfDay(value, clock));
  const time = Object.hasOwn(times, meaning) ? times[meaning] : undefined;
  return time ? quoted(timestamp(value, time.digits, time.isUtc)) : plain(String(value));
}

function bytesText({ kind }: LeafType, meaning: AvroMeaning | undefined, value: Uint8Array): Leaf {
  if (meaning?.name === 'decimal' && kind !== 'string') return plain(decimal(signed(value), meaning.scale));
  if (meaning?.name === 'duration' && kind === 'fixed') return quoted(interval(value));
  if (meaning?.name === 'uuid' && kind === 'fixed' && value.length === 16)
    return quoted(hex(value).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));
  return quoted(`0x${hex(value)}`);
}

/** A value inside another one. */
function nested(cursor: AvroCursor, type: AvroType): string {
  if (isLeaf(type)) {
    const value = readLeaf(cursor, type);
    const { text, isText } = leafText(type, value);
    return isText ? JSON.stringify(text) : text;
  }
  cursor.count();
  switch (type.kind) {
    case 'union':
      return nested(cursor, cursor.branch(type.branches));
    case 'record':
      return `{${type.fields.map(field => `${JSON.stringify(field.name)}:${nested(cursor, field.type)}`).join(',')}}`;
    case 'array': {
      const items: string[] = [];
      cursor.items('array', () => {
        cursor.count();
        items.push(nested(cursor, type.items));
      });
      return `[${items.join(',')}]`;
    }
    case 'map': {
      const members: string[] = [];
      cursor.items('map', name => {
        cursor.count();
        const key = name ? (utf8(name) ?? `0x${hex(name)}`) : '';
        members.push(`${JSON.stringify(key)}:${nested(cursor, type.items)}`);
      });
      return `{${members.join(',')}}`;
    }
  }
}
