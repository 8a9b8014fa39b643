/**
 * Values of Parquet files as text, exactly as they are stored (format: LogicalTypes.md of Apache Parquet). The reader returns
 * physical values, whose meaning is in the schema: no value passes through a number that cannot hold it.
 */

import { floatText } from './float-text.js';
import { numberOrder } from './text-order.js';
import {
  date,
  decimal,
  float16,
  hex,
  integer,
  interval,
  plain,
  printable,
  quoted,
  signed,
  timeOfDay,
  timestamp,
  utf8,
} from './value-text.js';
import type { Order } from './table-file.js';
import type { Leaf } from './value-text.js';

/** An element of a schema, as the reader describes it. */
interface ParquetElement {
  readonly name: string;
  readonly type?: string;
  readonly converted_type?: string;
  readonly logical_type?: { readonly type: string; readonly [parameter: string]: unknown };
  readonly repetition_type?: string;
  readonly num_children?: number;
  readonly scale?: number;
}

/** An element with those below it. */
export interface ParquetType {
  readonly element: ParquetElement;
  /** Its name among what the reader returns: unique, unlike that of the element. */
  readonly slot: string;
  readonly children: readonly ParquetType[];
}

/** Text of a column's value; `null` if it is missing. */
export function parquetText(type: ParquetType, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return isLeaf(type) && !isRepeated(type) ? leafOf(type.element, value).text : nested(type, value);
}

/** Name of a type for people, such as `decimal(9,2)` or `list<int64>`. */
export function typeName({ element, children }: ParquetType): string {
  const { logical_type: logical, converted_type: converted, type = 'group' } = element;
  if (converted === 'LIST') return `list<${children[0]?.children[0] ? typeName(children[0].children[0]) : '?'}>`;
  if (children.length > 0) return isMap(element) ? 'map' : 'struct';
  return (logical?.type ?? converted ?? type).toLowerCase();
}

/** Whether the values of a column are numbers. */
export function isNumeric({ element, children }: ParquetType): boolean {
  if (children.length > 0 || element.repetition_type === 'REPEATED') return false;
  const meaning = element.logical_type?.type ?? element.converted_type;
  if (meaning === undefined) return ['INT32', 'INT64', 'FLOAT', 'DOUBLE'].includes(element.type ?? '');
  return meaning === 'DECIMAL' || meaning === 'FLOAT16' || meaning === 'INTEGER' || /^U?INT_\d+$/.test(meaning);
}

/** What the values of a column are sorted by: numbers and times by what is stored, anything else by its text. */
export function orderOf(type: ParquetType): (value: unknown) => Order {
  const { element } = type;
  if (!isLeaf(type) || isRepeated(type)) return value => parquetText(type, value);
  const meaning = element.logical_type?.type ?? element.converted_type;
  if (meaning === 'DECIMAL') return value => (isMissing(value) ? null : value instanceof Uint8Array ? signed(value) : integer(value));
  if (meaning === 'FLOAT16') return value => (value instanceof Uint8Array && value.length === 2 ? float16(value) : null);
  const bits = unsignedBits(element.logical_type, element.converted_type);
  if (bits !== undefined) return value => (isMissing(value) ? null : BigInt.asUintN(bits, integer(value)));
  if (isNumeric(type) || isTime(element)) return value => (typeof value === 'number' || typeof value === 'bigint' ? value : null);
  return value => parquetText(type, value);
}

/** Text of a number between the values of a column; `undefined` for columns that are not ordered by numbers. */
export function labelOf(type: ParquetType): ((order: number) => string) | undefined {
  const { element } = type;
  if (!isLeaf(type) || isRepeated(type)) return undefined;
  const meaning = element.logical_type?.type ?? element.converted_type;
  if (meaning === 'DECIMAL') return order => floatText(order / 10 ** (element.scale ?? 0));
  if (isTime(element)) return order => leafOf(element, BigInt(Math.round(order))).text;
  return isNumeric(type) ? floatText : undefined;
}

/** The order that a text stands for; `undefined` where values are compared as texts. */
export function orderOfTextOf(type: ParquetType): ((text: string) => Order | undefined) | undefined {
  const { element } = type;
  const meaning = element.logical_type?.type ?? element.converted_type;
  if (!isLeaf(type) || isRepeated(type) || !isNumeric(type)) return undefined;
  return text => numberOrder(text, meaning === 'DECIMAL' ? (element.scale ?? 0) : undefined);
}

/** Numbers and times as they are stored, which is quicker than as text. */
export function storedOf(type: ParquetType): { readonly type: string; name(value: unknown): string | null } | undefined {
  const { element } = type;
  if (!isLeaf(type) || isRepeated(type) || !(isNumeric(type) || isTime(element))) return undefined;
  const { type: physical, converted_type: converted, logical_type: logical, scale } = element;
  return {
    type: JSON.stringify([physical, converted, logical, scale]),
    name: value => {
      if (typeof value === 'number') return floatText(value);
      return typeof value === 'bigint' ? String(value) : parquetText(type, value);
    },
  };
}

const isMissing = (value: unknown): boolean => value === null || value === undefined;

function isTime({ type, logical_type: logical, converted_type: converted }: ParquetElement): boolean {
  return type === 'INT96' || /^(?:DATE|TIME)/.test(logical?.type ?? converted ?? '');
}

/** A value inside another one, in the manner of JSON. Numbers that JSON lacks stand as they are. */
function nested(type: ParquetType, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (type.element.converted_type === 'LIST') return listed(itemsOf(value), elementOf(type));
  if (isMap(type.element)) return mapped(type, value);
  if (Array.isArray(value))
    return `[${value.map(item => nested({ ...type, element: { ...type.element, repetition_type: 'REQUIRED' } }, item)).join(',')}]`;
  if (type.children.length > 0) {
    const members = value as Readonly<Record<string, unknown>>;
    return `{${type.children.map(child => `${JSON.stringify(child.element.name)}:${nested(child, members[child.slot])}`).join(',')}}`;
  }
  const { text, isText } = leafOf(type.element, value);
  return isText ? JSON.stringify(text) : text;
}

function listed(items: readonly unknown[], element: ParquetType | undefined): string {
  return `[${items.map(item => (element ? nested(element, item) : String(item))).join(',')}]`;
}

/** The entries in their order, with keys of any type. */
function mapped({ children: [entry] }: ParquetType, value: unknown): string {
  const [key, content] = entry?.children ?? [];
  const entries = itemsOf(entry && (value as Readonly<Record<string, unknown>>)[entry.slot]) as readonly Readonly<
    Record<string, unknown>
  >[];
  const member = (pair: Readonly<Record<string, unknown>>): string => {
    const name = key ? leafOrNested(key, pair[key.slot]) : '""';
    return `${name}:${content ? nested(content, pair[content.slot]) : 'null'}`;
  };
  return `{${entries.map(member).join(',')}}`;
}

/** Names of members are always quoted. */
function leafOrNested(type: ParquetType, value: unknown): string {
  return JSON.stringify(parquetText(type, value) ?? 'null');
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : ArrayBuffer.isView(value) ? Array.from(value as unknown as ArrayLike<unknown>) : [];
}

/** What a list contains: of its standard form the element inside the repeated group, else the repeated element itself. */
function elementOf({ children: [repeated] }: ParquetType): ParquetType | undefined {
  if (repeated?.children.length === 1) return repeated.children[0];
  return repeated && { ...repeated, element: { ...repeated.element, repetition_type: 'REQUIRED' } };
}

const isLeaf = ({ children }: ParquetType): boolean => children.length === 0;
const isRepeated = ({ element }: ParquetType): boolean => element.repetition_type === 'REPEATED';
const isMap = ({ converted_type: converted, logical_type: logical }: ParquetElement): boolean =>
  converted === 'MAP' || converted === 'MAP_KEY_VALUE' || logical?.type === 'MAP';

function leafOf(element: ParquetElement, value: unknown): Leaf {
  const { logical_type: logical, converted_type: converted, type } = element;
  const meaning = logical?.type ?? converted;
  if (value instanceof Uint8Array) return bytesOf(element, meaning, value);
  if (typeof value === 'boolean') return plain(String(value));
  if (type === 'INT96') return quoted(timestamp(integer(value), 9, false));
  if (meaning === 'DECIMAL') return plain(decimal(integer(value), element.scale ?? 0));
  if (meaning === 'DATE') return quoted(date(integer(value)));
  if (meaning === 'TIME') return quoted(timeOfDay(integer(value), digitsOf(logical)));
  if (meaning === 'TIME_MILLIS' || meaning === 'TIME_MICROS') return quoted(timeOfDay(integer(value), meaning === 'TIME_MILLIS' ? 3 : 6));
  if (meaning === 'TIMESTAMP') return quoted(timestamp(integer(value), digitsOf(logical), logical?.['isAdjustedToUTC'] === true));
  if (meaning === 'TIMESTAMP_MILLIS' || meaning === 'TIMESTAMP_MICROS')
    return quoted(timestamp(integer(value), meaning === 'TIMESTAMP_MILLIS' ? 3 : 6, true));
  const bits = unsignedBits(logical, converted);
  if (bits !== undefined) return plain(String(BigInt.asUintN(bits, integer(value))));
  if (typeof value === 'number') return plain(floatText(value));
  return plain(String(value));
}

function bytesOf({ type, scale = 0 }: ParquetElement, meaning: string | undefined, bytes: Uint8Array): Leaf {
  switch (meaning) {
    case 'DECIMAL':
      return plain(decimal(signed(bytes), scale));
    case 'UUID':
      return quoted(hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));
    case 'INTERVAL':
      return quoted(interval(bytes));
    case 'FLOAT16':
      return plain(floatText(float16(bytes)));
    case 'BSON':
    case 'GEOMETRY':
    case 'GEOGRAPHY':
      return quoted(`0x${hex(bytes)}`);
    case undefined:
      // Old writers stored texts without saying so.
      return quoted((type === 'BYTE_ARRAY' ? printable(bytes) : undefined) ?? `0x${hex(bytes)}`);
    default:
      return quoted(utf8(bytes) ?? `0x${hex(bytes)}`);
  }
}

const unitDigits: Readonly<Record<string, number>> = { MILLIS: 3, MICROS: 6, NANOS: 9 };

/** Digits of the fraction of a second. */
function digitsOf(logical: ParquetElement['logical_type']): number {
  return unitDigits[String(logical?.['unit'])] ?? 3;
}

function unsignedBits(logical: ParquetElement['logical_type'], converted: string | undefined): number | undefined {
  if (logical?.type === 'INTEGER') return logical['isSigned'] === false ? Number(logical['bitWidth']) : undefined;
  const bits = /^UINT_(\d+)$/.exec(converted ?? '')?.[1];
  return bits === undefined ? undefined : Number(bits);
}
