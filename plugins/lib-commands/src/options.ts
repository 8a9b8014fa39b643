/** Values of options: how each type is read from the command line. */
import { parseDuration } from '@srv/kernel';
import { UsageError } from './failures.js';
import type { CommandInput, CommandOption, OptionValue } from './arguments.js';

type Reader = (text: string, earlier: OptionValue) => OptionValue;

/** How one more occurrence of an option is read. */
export const optionReaders: Readonly<Record<Exclude<CommandOption['type'], 'bool'>, Reader>> = {
  string: text => text,
  int: text => {
    if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
      throw new UsageError(`${JSON.stringify(text)} is not a whole number`);
    return Number(text);
  },
  duration: text => {
    const ms = parseDuration(text);
    if (ms === undefined) throw new UsageError(`${JSON.stringify(text)} is not a duration such as 3s or 1h0m0s`);
    return ms;
  },
  list: (text, earlier) => [...listOf(earlier), ...splitRecord(text)],
  texts: (text, earlier) => [...listOf(earlier), text],
};

/** One CSV record: `a=1,b=2` has two items, `"k=a,b"` has one. @throws UsageError for an open quote. */
export function splitRecord(text: string): string[] {
  const items: string[] = [];
  let position = 0;
  for (;;) {
    const quoted = text[position] === '"';
    const match = quoted ? /"((?:[^"]|"")*)"(?=,|$)/y : /[^,"]*(?=,|$)/y;
    match.lastIndex = position;
    const found = match.exec(text);
    if (!found)
      throw new UsageError(
        `${JSON.stringify(text)} is not a list of values separated by commas; put a value that contains a quote or a comma in double quotes`,
      );
    items.push(quoted ? (found[1] ?? '').replaceAll('""', '"') : found[0]);
    position = match.lastIndex;
    if (position >= text.length) return items;
    position++;
    if (position === text.length) return [...items, ''];
  }
}

/**
 * `k=v` pairs, split at the first `=`; the last of two equal keys wins.
 * @param option that gave the items, without dashes.
 * @throws UsageError for an item without `=`.
 */
export function keyValues(items: readonly string[], option: string, example = 'key=value'): Record<string, string> {
  return Object.fromEntries(
    items.map(item => {
      const at = item.indexOf('=');
      if (at < 0) throw new UsageError(`--${option}: ${JSON.stringify(item)} is not a pair such as ${example}`);
      return [item.slice(0, at), item.slice(at + 1)];
    }),
  );
}

/** How many arguments a command takes, in words. @throws UsageError when `count` is not one of them. */
export function checkArity(parameters: readonly { readonly required?: boolean; readonly variadic?: boolean }[], count: number): void {
  const least = parameters.filter(p => p.required).length;
  const most = parameters.some(p => p.variadic) ? Number.POSITIVE_INFINITY : parameters.length;
  if (count >= least && count <= most) return;
  if (most === Number.POSITIVE_INFINITY) throw new UsageError(`requires at least ${least} arg(s), only received ${count}`);
  throw new UsageError(
    least === most ? `accepts ${least} arg(s), received ${count}` : `accepts between ${least} and ${most} arg(s), received ${count}`,
  );
}

/** Text of an option that has a string type. */
export function textOf(value: OptionValue): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Text of a string option that narrows what the command does, or says to whom: a script that passes an empty variable must not do
 * more than it asked for. @returns `undefined` when the option is not given. @throws UsageError for an empty value.
 */
export function filledTextOf(options: CommandInput['options'], name: string): string | undefined {
  const value = textOf(options[name]);
  if (value === '') throw new UsageError(`--${name}: an empty value is not allowed; give one, or leave the option out`);
  return value;
}

export function numberOf(value: OptionValue): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function listOf(value: OptionValue): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** Transfers at a time: the option, else `preset`. @throws UsageError for less than 1. */
export function parallelismOf(value: OptionValue, preset: number): number {
  const count = typeof value === 'number' ? value : preset;
  if (count < 1) throw new UsageError(`Invalid value for parallelism (${count}), minimum is 1.`);
  return count;
}
