/** `strings`, `path`, and Unicode-aware case of `string.lower` and `string.upper`. Pieces of strings are found by bytes. */

import { checkText, countParts, tooMany } from '../bounds.js';
import { maxText, maxValues } from '../limits.js';
import { LuaError, bytesOf, table, textOf } from '../lua-value.js';
import type { Arguments, LuaModules } from '../arguments.js';
import type { Bytes } from '../lua-value.js';

export const stringModules: LuaModules = {
  strings: {
    split: args => [split(args.bytes(1), args.bytes(2))],
    trim: args => [bytesOf(shortText(args).trim())],
    replace: args => [replace(args.bytes(1), args.bytes(2), args.bytes(3), args.number(4))],
    has_prefix: args => [args.bytes(1).startsWith(args.bytes(2))],
    has_suffix: args => [args.bytes(1).endsWith(args.bytes(2))],
    contains: args => [args.bytes(1).includes(args.bytes(2))],
  },
  path: {
    parse: args => {
      const separator = separatorOf(args, 2);
      const given = args.bytes(1);
      // The last separator of a folder's name is neither parent nor base.
      const path = given.endsWith(separator) ? given.slice(0, -separator.length) : given;
      const at = lastSeparator(path, separator);
      return [table({ parent: path.slice(0, at), base_name: path.slice(at) })];
    },
    join: args => [join(args)],
    is_hidden: args => {
      const prefix = args.optionalText(3) === undefined ? '_' : args.bytes(3);
      return [split(args.bytes(1), separatorOf(args, 2)).some(part => part !== '' && part.startsWith(prefix))];
    },
    default_separator: () => ['/'],
    extract_dir_name: args => {
      const path = args.bytes(1);
      return [path.slice(0, Math.max(0, path.lastIndexOf('/')))];
    },
  },
  text: { lower: args => [bytesOf(shortText(args).toLowerCase())], upper: args => [bytesOf(shortText(args).toUpperCase())] },
};

function shortText(args: Arguments): string {
  checkText(args.bytes(1).length, maxText);
  return args.text(1);
}

/** Between nothing and nothing lie the characters. */
function split(text: Bytes, separator: Bytes): Bytes[] {
  checkText(text.length);
  if (separator === '' ? text.length > maxValues : countParts(text, separator) >= maxValues) tooMany();
  return separator === '' ? [...textOf(text)].map(bytesOf) : text.split(separator);
}

/** @param count how often at most; negative: always. */
function replace(text: Bytes, old: Bytes, replacement: Bytes, count: number): Bytes {
  const parts = split(text, old);
  // Nothing is found before every character, and after the last one.
  if (old === '') {
    const all = ['', ...parts];
    const often = count < 0 ? all.length : count;
    checkText(text.length + Math.min(often, all.length) * replacement.length);
    return all.map((part, i) => `${part}${i < often ? replacement : ''}`).join('');
  }
  const often = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
  checkText(text.length + often * replacement.length);
  return [parts.slice(0, often + 1).join(replacement), ...parts.slice(often + 1)].join(old);
}

function separatorOf(args: Arguments, at: number): Bytes {
  const separator = args.value(at) === undefined ? '/' : args.bytes(at);
  if (separator === '') throw new LuaError(`bad argument #${at} (the separator is empty)`);
  return separator;
}

/** Where the last part begins. */
function lastSeparator(path: Bytes, separator: Bytes): number {
  const at = path.lastIndexOf(separator);
  return at < 0 ? 0 : at + separator.length;
}

/** Parts with one separator between them, whatever they begin and end with. An empty separator puts them together as they are. */
function join(args: Arguments): Bytes {
  const separator = args.value(1) === undefined ? '/' : args.bytes(1);
  const parts = Array.from({ length: args.count - 1 }, (_, i) => args.bytes(i + 2)).filter(part => part !== '');
  return parts.reduce((path, part) => {
    const rest = part.startsWith(separator) ? part.slice(separator.length) : part;
    return path.endsWith(separator) ? path + rest : path + separator + rest;
  }, parts.shift() ?? '');
}
