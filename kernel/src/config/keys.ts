/** Builders for configuration keys: `{ 'tls.enabled': bool({ default: false, meaning: 'Serve HTTPS' }) }`. */

import { createRequire } from 'node:module';
import { messageOf } from '../errors.js';
import { homeFolder } from '../home.js';
import { formatDuration, parseDuration } from './duration.js';
import type { Root, Schema } from 'joi';
import type { ConfigKey } from './types.js';

type Facts<T> = Omit<ConfigKey<T>, 'type' | 'decode'> & { readonly type?: string };
/** With a default or `required` the decoded value is always there. */
type Decoded<T, F> = F extends { default: unknown } | { required: true } ? T : T | undefined;

function key<T, const F extends Facts<T>>(type: string, facts: F, decode: (raw: unknown) => T): ConfigKey<Decoded<T, F>> & F {
  return { type, ...facts, decode: decode as (raw: unknown) => Decoded<T, F> };
}

const require = createRequire(import.meta.url);

/**
 * @param isPlain recognises values that are valid already and need no schema.
 * @param describe makes the schema. Loading joi takes as long as starting Node.js, so it waits for the first value in need.
 */
function check<T>(isPlain: (raw: unknown) => boolean, describe: (joi: Root) => Schema, raw: unknown, allowed: string): T {
  if (isPlain(raw)) return raw as T;
  const { error, value } = describe(require('joi') as Root).validate(raw);
  if (error) throw new Error(allowed);
  return value as T;
}

const isText = (raw: unknown): boolean => typeof raw === 'string';
const isFilledText = (raw: unknown): boolean => typeof raw === 'string' && raw !== '';
const isFlag = (raw: unknown): boolean => typeof raw === 'boolean';
const isTexts = (raw: unknown): boolean => Array.isArray(raw) && raw.every(isFilledText);
const isMapOfTexts = (raw: unknown): boolean =>
  typeof raw === 'object' && raw !== null && Object.getPrototypeOf(raw) === Object.prototype && Object.values(raw).every(isText);
const isNumber =
  (min: number, max: number, whole: boolean) =>
  (raw: unknown): boolean =>
    typeof raw === 'number' && Number.isFinite(raw) && raw >= min && raw <= max && (!whole || Number.isSafeInteger(raw));

/** Any scalar becomes text; lists and maps are refused. */
export function text<const F extends Facts<string>>(facts: F) {
  const { values } = facts;
  return key<string, F>(values ? values.map(v => `\`${v}\``).join(',') : 'string', facts, raw => {
    const value = check<string>(isText, joi => joi.string().allow(''), typeof raw === 'object' ? raw : String(raw), 'a string');
    if (!values) return value;
    const found = values.find(v => v.toLowerCase() === value.toLowerCase());
    if (found === undefined) throw new Error(`one of ${values.join(', ')}`);
    return found;
  });
}

/** A path; a leading `~` becomes the home folder of the user. */
export function path<const F extends Facts<string>>(facts: F) {
  return key<string, F>('string', facts, raw => expandHome(check(isFilledText, joi => joi.string(), raw, 'a path')));
}

/** `~` and `~/x` below `home`; other paths as they are. */
export function expandHome(text: string, home = homeFolder()): string {
  return text === '~' || text.startsWith('~/') ? home + text.slice(1) : text;
}

export function int<const F extends Facts<number> & { min?: number; max?: number }>(facts: F) {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = facts;
  const range =
    facts.min !== undefined || facts.max !== undefined ? ` from ${min} to ${max === Number.MAX_SAFE_INTEGER ? '2^53-1' : max}` : '';
  return key<number, F>('int', facts, raw =>
    check(isNumber(min, max, true), joi => joi.number().integer().min(min).max(max), raw, `a whole number${range}`),
  );
}

export function float<const F extends Facts<number> & { min?: number; max?: number }>(facts: F) {
  const { min = -Number.MAX_VALUE, max = Number.MAX_VALUE } = facts;
  const range = `${facts.min === undefined ? '' : ` from ${min}`}${facts.max === undefined ? '' : ` up to ${max}`}`;
  return key<number, F>('float', facts, raw =>
    check(isNumber(min, max, false), joi => joi.number().min(min).max(max), raw, `a number${range}`),
  );
}

export function bool<const F extends Facts<boolean>>(facts: F) {
  return key<boolean, F>('bool', facts, raw =>
    check(isFlag, joi => joi.boolean().truthy('1', 't', 'T', 1).falsy('0', 'f', 'F', 0), raw, 'true or false'),
  );
}

/**
 * Milliseconds. A number without a unit is refused, except 0: other tools take it for nanoseconds, people mean seconds.
 * @param facts.bareUnit unit of such numbers, for keys whose names contain it.
 * @param facts.min least value, in milliseconds.
 */
export function duration<const F extends Facts<number> & { readonly bareUnit?: 's'; readonly min?: number }>(facts: F) {
  const { bareUnit, min = 0 } = facts;
  return key<number, F>('duration', facts, raw => {
    const written = String(raw).trim();
    const bare = /^\d+$/.test(written) && Number(written) !== 0;
    if (bare && bareUnit === undefined) throw new Error(`a duration with its unit, such as ${written}s or ${written}m`);
    const ms = parseDuration(bare ? `${written}${bareUnit}` : written);
    if (ms === undefined || ms < 0) throw new Error('a duration such as 300ms, 5m or 1h30m');
    if (ms < min) throw new Error(`a duration of at least ${formatDuration(min)}`);
    return ms;
  });
}

/** Milliseconds (596 h). Node.js counts to 2^31 - 1 ms, and ends a longer wait after 1 ms. */
const longestTimer = 596 * 3_600_000;

/** A {@link duration} that a timer counts, such as a timeout or an interval: whole milliseconds, at most {@link longestTimer}. */
export function timer<const F extends Facts<number> & { readonly min?: number }>(facts: F) {
  const { decode } = duration<Facts<number> & { required: true; min?: number }>({ ...facts, required: true });
  return key<number, F>('duration', facts, raw => {
    const ms = Math.ceil(decode(raw));
    if (ms > longestTimer) throw new Error(`a duration of at most ${formatDuration(longestTimer)}`);
    return ms;
  });
}

/** A YAML list, a JSON array, or text split at commas. */
export function list<const F extends Facts<readonly string[]>>(facts: F) {
  return key<readonly string[], F>('[]string', facts, raw => {
    const found = typeof raw === 'string' ? splitList(raw) : raw;
    return check(isTexts, joi => joi.array().items(joi.string()), found, 'a list of strings');
  });
}

/** A YAML map, or text `key1=value1,key2=value2`. */
export function map<const F extends Facts<Readonly<Record<string, string>>>>(facts: F) {
  return key<Readonly<Record<string, string>>, F>('map[string]string', facts, raw => {
    const found = typeof raw === 'string' ? splitMap(raw) : raw;
    return check(
      isMapOfTexts,
      joi => joi.object().pattern(joi.string(), joi.string().allow('')),
      found,
      'a map such as key1=value1,key2=value2',
    );
  });
}

function splitList(raw: string): unknown {
  const trimmed = raw.trim();
  if (trimmed.startsWith('[')) {
    try {
      return JSON.parse(trimmed);
    } catch (error) {
      throw new Error(`a JSON list or values separated by commas (${messageOf(error)})`);
    }
  }
  return trimmed === '' ? [] : trimmed.split(',').map(item => item.trim());
}

/** `k=v,k2=v2`; spaces around keys and values are dropped, an item without `=` is refused. */
export function splitMap(raw: string): Record<string, string> {
  const items = raw
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');
  return Object.fromEntries(
    items.map(item => {
      const at = item.indexOf('=');
      if (at < 1) throw new Error(`pairs such as key1=value1,key2=value2 (invalid key-value pair: ${item})`);
      return [item.slice(0, at).trim(), item.slice(at + 1).trim()];
    }),
  );
}
