/** Values that scripts and their modules exchange. */
import { maxDepth, maxValues } from './limits.js';

/**
 * A string of Lua as a JavaScript string of the same length, one character from U+0000 to U+00FF per byte: any bytes pass
 * unchanged.
 */
export type Bytes = string;

/** Tables marked as arrays are arrays, all others maps. Scripts pass maps with strings as keys only. */
export type LuaValue = undefined | boolean | number | Bytes | readonly LuaValue[] | LuaTable;
export type LuaTable = ReadonlyMap<Bytes | number, LuaValue>;

/** An error of the script or of its call, which `pcall` catches. */
export class LuaError extends Error {}

export const textOf = (bytes: Bytes): string => (isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8'));
export const bytesOf = (text: string): Bytes => (isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1'));
export const bufferOf = (bytes: Bytes): Buffer => Buffer.from(bytes, 'latin1');
export const bytesOfBuffer = (buffer: Uint8Array): Bytes =>
  Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength).toString('latin1');

// biome-ignore lint/suspicious/noControlCharactersInRegex: every character of ASCII
const ascii = /^[\x00-\x7f]*$/;
const isAscii = (text: string): boolean => ascii.test(text);

/** What JSON holds, as values of Lua. @throws LuaError for more than a million values: aliases of YAML multiply. */
export function fromJson(value: unknown): LuaValue {
  let count = 0;
  const convert = (item: unknown, depth: number): LuaValue => {
    if (++count > maxValues) throw new LuaError(`more than ${maxValues} values`);
    if (depth > maxDepth) throw new LuaError(`more than ${maxDepth} levels of nested values`);
    if (item === null || item === undefined) return undefined;
    if (typeof item === 'string') return bytesOf(item);
    if (typeof item === 'number' || typeof item === 'boolean') return item;
    if (typeof item === 'bigint') return Number(item);
    if (item instanceof Date) return bytesOf(item.toISOString());
    if (Array.isArray(item)) return item.map(part => convert(part, depth + 1));
    const entries = item instanceof Map ? [...item] : Object.entries(item);
    return new Map(entries.map(([key, part]) => [bytesOf(String(key)), convert(part, depth + 1)]));
  };
  return convert(value, 0);
}

/** Values of Lua as JSON holds them, keys sorted by their bytes. */
export function toJson(value: LuaValue): unknown {
  if (value === undefined) return null;
  if (typeof value === 'string') return textOf(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new LuaError(`unsupported value: ${value}`);
  if (typeof value !== 'object') return value;
  if (isArray(value)) return value.map(toJson);
  const keys = [...value.keys()].map(String).toSorted((a, b) => (a < b ? -1 : 1));
  // Defined, not assigned: a key may be `__proto__`.
  return Object.fromEntries(keys.map(key => [textOf(key), toJson(value.get(key))]));
}

export function isArray(value: LuaValue): value is readonly LuaValue[] {
  return Array.isArray(value);
}

export function isTable(value: LuaValue): value is LuaTable {
  return value instanceof Map;
}

/** A table as modules of the host make one. */
export function table(fields: Readonly<Record<string, LuaValue>>): LuaTable {
  return new Map(Object.entries(fields));
}
