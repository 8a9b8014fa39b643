/**
 * JSON whose integers keep all of their digits: identifiers of snapshots, sequence numbers and times have 64 bits, more than a
 * JavaScript number holds. Integers that are safe become numbers, all others `bigint`. While a long document is read or written,
 * the rest of the process works.
 */
import { Pace, messageOf } from '@srv/kernel';
import { CatalogError } from './errors.js';
import { ExactReader } from './exact-reader.js';

export type Integer = number | bigint;

export type JsonObject = { [name: string]: unknown };

/** Bytes that are read or written at once: a millisecond or two. */
const slice = 16 << 10;

/**
 * @param name what the document is, for errors.
 * @throws CatalogError 400 for what is not JSON, for an object named `__proto__`, and beyond the limits of {@link ExactReader}.
 */
export async function parseExact(json: Buffer | string, name = 'the body'): Promise<unknown> {
  const bytes = typeof json === 'string' ? Buffer.from(json) : json;
  const pace = new Pace();
  try {
    const reader = new ExactReader();
    for (let at = 0; at < bytes.length; at += slice) {
      reader.write(bytes.subarray(at, at + slice));
      await pace.rest();
    }
    return reader.finish();
  } catch (error) {
    throw new CatalogError(400, 'BadRequestException', `${name} is not valid JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** Of a short document. */
export function writeExact(value: unknown): string {
  return [...texts(value)].join('');
}

/** Of a document that may be long. */
export async function exactBytes(value: unknown): Promise<Buffer> {
  const pace = new Pace();
  const slices: Buffer[] = [];
  let text = '';
  for (const next of texts(value)) {
    text += next;
    if (text.length < slice) continue;
    slices.push(Buffer.from(text));
    text = '';
    await pace.rest();
  }
  return Buffer.concat([...slices, Buffer.from(text)]);
}

/** A document in parts of which none is much longer than a slice. Members that are `undefined` are left out. */
function* texts(value: unknown): Generator<string> {
  if (!isContainer(value)) {
    yield plain(value);
    return;
  }
  const isList = Array.isArray(value);
  const members = isList ? value : Object.keys(value).filter(name => value[name] !== undefined);
  let text = isList ? '[' : '{';
  for (let i = 0; i < members.length; i++) {
    const name = isList ? '' : `${JSON.stringify(members[i])}:`;
    const member: unknown = isList ? members[i] : value[members[i] as string];
    text += `${i > 0 ? ',' : ''}${name}`;
    if (isContainer(member)) {
      yield text;
      text = '';
      yield* texts(member);
    } else text += plain(member);
    if (text.length < slice) continue;
    yield text;
    text = '';
  }
  yield text + (isList ? ']' : '}');
}

const isContainer = (value: unknown): value is JsonObject | unknown[] => typeof value === 'object' && value !== null;
const plain = (value: unknown): string => (typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null'));

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
