/** Functions of clients that the thread for calls outside carries out. */
import { bytesOf, bytesOfBuffer, textOf, toJson } from '../lua-value.js';
import type { Arguments, LuaFunction } from '../arguments.js';
import type { LuaTable, LuaValue } from '../lua-value.js';
import type { OutsideLink } from '../outside-link.js';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * @param named names of the arguments after the first one: the client's settings, which the script does not see.
 * @param results absent: the function returns nothing.
 */
type OutsideMethod = (name: string, named: (args: Arguments) => Fields, results?: (result: unknown) => readonly LuaValue[]) => LuaFunction;

export function methodsOf(outside: Pick<OutsideLink, 'call'>, service: string): OutsideMethod {
  return (name, named, results = nothing) =>
    args =>
      results(outside.call({ service, method: name, input: { ...settingsOf(args), ...given(named(args)) } }));
}

const nothing = (_result: unknown): readonly LuaValue[] => [];

export const text = (result: unknown): readonly LuaValue[] => [bytesOf(String(result))];

export const found = (result: unknown): readonly LuaValue[] => (result instanceof Uint8Array ? [bytesOfBuffer(result), true] : ['', false]);

export function textIn(from: LuaTable | undefined, name: string): string | undefined {
  const value = from?.get(name);
  return value === undefined ? undefined : textOf(String(value));
}

/** Settings of the client. */
function settingsOf(args: Arguments): Fields {
  return toJson(args.table(1)) as Fields;
}

function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
