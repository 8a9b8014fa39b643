/**
 * Values of Parquet files as text, exactly as they are stored (format: LogicalTypes.md of Apache Parquet). The reader returns
 * physical values, whose meaning is in the schema: no value passes through a number that cannot hold it.
 */

import { floatText } from './float-text.js';
import { textOrder } from './text-order.js';
import type { Order } from './table-file.js';

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
  const numberOf = (text: string): Order | undefined => {
    const order = textOrder(text);
    return typeof order === 'string' ? undefined : order;
  };
  if (meaning !== 'DECIMAL') return numberOf;
  const scale = element.scale ?? 0;
  return text => {
    const [, sign = '', whole = '', fraction = ''] = /^([+-]?)([0-9]{1,100})(?:\.([0-9]{0,100}))?$/.exec(text) ?? [];
    if (whole === '' || scale < 0 || fraction.length > scale) return undefined;
    const unscaled = BigInt(whole + fraction.padEnd(scale, '0'));
    return sign === '-' ? -unscaled : unscaled;
  };
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

interface Leaf {
  readonly text: string;
  /** To be quoted among other values. */
  readonly isText: boolean;
}

const number = (text: string): Leaf => ({ text, isText: false });
const quoted = (text: string): Leaf => ({ text, isText: true });

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
  if (typeof value === 'boolean') return number(String(value));
  if (type === 'INT96') return quoted(timestamp(integer(value), 9, false));
  if (meaning === 'DECIMAL') return number(decimal(integer(value), element.scale ?? 0));
  if (meaning === 'DATE') return quoted(date(integer(value)));
  if (meaning === 'TIME') return quoted(timeOfDay(integer(value), digitsOf(logical)));
  if (meaning === 'TIME_MILLIS' || meaning === 'TIME_MICROS') return quoted(timeOfDay(integer(value), meaning === 'TIME_MILLIS' ? 3 : 6));
  if (meaning === 'TIMESTAMP') return quoted(timestamp(integer(value), digitsOf(logical), logical?.['isAdjustedToUTC'] === true));
  if (meaning === 'TIMESTAMP_MILLIS' || meaning === 'TIMESTAMP_MICROS')
    return quoted(timestamp(integer(value), meaning === 'TIMESTAMP_MILLIS' ? 3 : 6, true));
  const bits = unsignedBits(logical, converted);
  if (bits !== undefined) return number(String(BigInt.asUintN(bits, integer(value))));
  if (typeof value === 'number') return number(floatText(value));
  return number(String(value));
}

function bytesOf({ type, scale = 0 }: ParquetElement, meaning: string | undefined, bytes: Uint8Array): Leaf {
  switch (meaning) {
    case 'DECIMAL':
      return number(decimal(signed(bytes), scale));
    case 'UUID':
      return quoted(hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));
    case 'INTERVAL':
      return quoted(interval(bytes));
    case 'FLOAT16':
      return number(floatText(float16(bytes)));
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

const integer = (value: unknown): bigint => (typeof value === 'bigint' ? value : BigInt(Math.trunc(Number(value))));

function decimal(unscaled: bigint, scale: number): string {
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled);
  if (scale <= 0) return sign + digits + '0'.repeat(digits === '0' ? 0 : -scale);
  const padded = digits.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** Big endian, two's complement. */
function signed(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(bytes)}`));
}

const unitDigits: Readonly<Record<string, number>> = { MILLIS: 3, MICROS: 6, NANOS: 9 };

/** Digits of the fraction of a second. */
function digitsOf(logical: ParquetElement['logical_type']): number {
  return unitDigits[String(logical?.['unit'])] ?? 3;
}

const pad = (value: bigint | number | string, width: number): string => String(value).padStart(width, '0');

function timeOfDay(units: bigint, digits: number): string {
  const perSecond = 10n ** BigInt(digits);
  const [seconds, fraction] = [units / perSecond, units % perSecond];
  return `${pad(seconds / 3600n, 2)}:${pad((seconds / 60n) % 60n, 2)}:${pad(seconds % 60n, 2)}.${pad(fraction, digits)}`;
}

function timestamp(units: bigint, digits: number, isUtc: boolean): string {
  const perDay = 86_400n * 10n ** BigInt(digits);
  const inDay = ((units % perDay) + perDay) % perDay;
  return `${date((units - inDay) / perDay)}T${timeOfDay(inDay, digits)}${isUtc ? 'Z' : ''}`;
}

/** Proleptic Gregorian, for any number of days since 1970; years before 1 and after 9999 have a sign. */
function date(days: bigint): string {
  // Days since the first of March of the year 0, in cycles of 400 years.
  const shifted = days + 719_468n;
  const cycle = (shifted >= 0n ? shifted : shifted - 146_096n) / 146_097n;
  const day = Number(shifted - cycle * 146_097n);
  const year = Math.floor((day - Math.floor(day / 1460) + Math.floor(day / 36_524) - Math.floor(day / 146_096)) / 365);
  const dayOfYear = day - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const shown = month < 10 ? month + 3 : month - 9;
  const fullYear = BigInt(year) + cycle * 400n + (shown <= 2 ? 1n : 0n);
  const isPlain = fullYear >= 0n && fullYear <= 9999n;
  const sign = isPlain ? '' : fullYear < 0n ? '-' : '+';
  return `${sign}${pad(fullYear < 0n ? -fullYear : fullYear, isPlain ? 4 : 6)}-${pad(shown, 2)}-${pad(dayOfMonth, 2)}`;
}

/** Months, days and milliseconds, in the notation of ISO 8601. */
function interval(bytes: Uint8Array): string {
  if (bytes.length !== 12) return `0x${hex(bytes)}`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [months, days, millis] = [view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true)];
  const time = millis === 0 ? '' : `T${Math.floor(millis / 1000)}.${pad(millis % 1000, 3)}S`;
  const text = `${months > 0 ? `${months}M` : ''}${days > 0 ? `${days}D` : ''}${time}`;
  return `P${text === '' ? '0D' : text}`;
}

function float16(bytes: Uint8Array): number {
  const bits = (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8);
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return (sign * fraction) / 2 ** 24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

function unsignedBits(logical: ParquetElement['logical_type'], converted: string | undefined): number | undefined {
  if (logical?.type === 'INTEGER') return logical['isSigned'] === false ? Number(logical['bitWidth']) : undefined;
  const bits = /^UINT_(\d+)$/.exec(converted ?? '')?.[1];
  return bits === undefined ? undefined : Number(bits);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => pad(byte.toString(16), 2)).join('');
}

/** `undefined` for bytes that people would not take for a text. */
function printable(bytes: Uint8Array): string | undefined {
  const text = utf8(bytes);
  return text === undefined || /[^\P{C}\t\n\r]/u.test(text) ? undefined : text;
}

/** `undefined` for bytes that are not UTF-8. */
function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
