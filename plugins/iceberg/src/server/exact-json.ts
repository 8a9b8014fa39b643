/**
 * JSON whose integers keep all of their digits: identifiers of snapshots, sequence numbers and times have 64 bits, more than a
 * JavaScript number holds. Integers that are safe become numbers, all others `bigint`.
 */
import { isInteger, parse, stringify } from 'lossless-json';
import { CatalogError } from './errors.js';

export type Integer = number | bigint;

export type JsonObject = { [name: string]: unknown };

/** @throws CatalogError 400 for what is not JSON, or holds an object named `__proto__`. */
export function parseExact(text: string): unknown {
  try {
    return parse(text, refusePrototype, { parseNumber: exactNumber });
  } catch (error) {
    throw new CatalogError(400, 'BadRequestException', 'the body is not valid JSON', { cause: error });
  }
}

export function writeExact(value: unknown): string {
  return stringify(value) ?? 'null';
}

function exactNumber(text: string): Integer {
  const value = Number(text);
  return isInteger(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

function refusePrototype(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new Error('an object must not be named __proto__');
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isWhole(value: unknown): value is Integer {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** A value of a client as text: objects, which may claim to be anything, are written as JSON. */
export function plainText(value: unknown): string {
  return typeof value === 'object' && value !== null ? writeExact(value) : String(value);
}

/** A value of a client as a number; `NaN` for what is not one. */
export function plainNumber(value: unknown): number {
  return typeof value === 'object' && value !== null ? Number.NaN : Number(value);
}

/** Whether two values, perhaps integers of different types, are the same. Properties count in any order. */
export function isSame(a: unknown, b: unknown): boolean {
  if (isWhole(a) && isWhole(b)) return BigInt(a) === BigInt(b);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every(name => Object.hasOwn(b, name) && isSame(a[name], b[name]));
}

/** The greater of two integers. */
export function greater(a: Integer, b: Integer): Integer {
  return a >= b ? a : b;
}

/** An integer in its usual type. */
export function whole(value: bigint): Integer {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}
