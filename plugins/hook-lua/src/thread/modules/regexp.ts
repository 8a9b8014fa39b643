/** `regexp`: expressions of RE2, whose time grows with the text and not with its square. */
import { RE2JS, RE2JSException } from 're2js';
import { checkText, tooMany } from '../bounds.js';
import { maxExpression, maxValues, mostCompiled } from '../limits.js';
import { LuaError, bytesOf } from '../lua-value.js';
import type { Arguments, LuaModules } from '../arguments.js';
import type { Bytes } from '../lua-value.js';

/** Compiled expressions of the script, by their source. */
const compiled = new Map<string, RE2JS>();

export const regexpModules: LuaModules = {
  regexp: {
    match: args => [expression(args.text(1)).matcher(textIn(args)).find()],
    quote_meta: args => [shortBytes(args).replaceAll(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`)],
  },
  /** What `compile` gives: the source is their first argument. */
  regex: {
    find: args => [matches(args, 1)[0]?.[0] ?? ''],
    find_submatch: args => [matches(args, 1)[0] ?? []],
    find_all: args => [matches(args, limit(args)).map(([whole]) => whole)],
    find_all_submatch: args => [matches(args, limit(args))],
  },
};

function shortBytes(args: Arguments): Bytes {
  checkText(args.bytes(1).length, maxExpression);
  return args.bytes(1);
}

function textIn(args: Arguments): string {
  checkText(args.bytes(2).length);
  return args.text(2);
}

/** @throws LuaError for what RE2 does not know. */
function expression(source: string): RE2JS {
  checkText(source.length, maxExpression);
  const known = compiled.get(source);
  if (known) return known;
  if (compiled.size >= mostCompiled) compiled.clear();
  try {
    const made = RE2JS.compile(source);
    compiled.set(source, made);
    return made;
  } catch (error) {
    if (error instanceof RE2JSException) throw new LuaError(error.message);
    throw error;
  }
}

/** How many to find: all when absent or negative. */
function limit(args: Arguments): number {
  const asked = args.optionalNumber(3) ?? -1;
  return asked < 0 ? Number.POSITIVE_INFINITY : asked;
}

/** Each match with its groups; a group that took no part is the empty string. */
function matches(args: Arguments, most: number): Bytes[][] {
  const matcher = expression(args.text(1)).matcher(textIn(args));
  const found: Bytes[][] = [];
  while (found.length < most && matcher.find()) {
    if (found.length * (matcher.groupCount() + 1) > maxValues) tooMany();
    found.push(Array.from({ length: matcher.groupCount() + 1 }, (_, i) => bytesOf(matcher.group(i) ?? '')));
  }
  return found;
}
