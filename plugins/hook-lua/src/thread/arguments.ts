/** Arguments of functions that scripts call, checked. */
import { LuaError, bufferOf, isArray, isTable, textOf } from './lua-value.js';
import type { Bytes, LuaTable, LuaValue } from './lua-value.js';

/** Arguments count from 1, as scripts see them. */
export class Arguments {
  readonly #values: readonly LuaValue[];

  constructor(values: readonly LuaValue[]) {
    this.#values = values;
  }

  get count(): number {
    return this.#values.length;
  }

  value(at: number): LuaValue {
    return this.#values[at - 1];
  }

  /** Numbers count as strings, as everywhere in Lua. */
  bytes(at: number): Bytes {
    const value = this.value(at);
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'string') throw new LuaError(`bad argument #${at} (string expected, got ${kindOf(value)})`);
    return value;
  }

  text(at: number): string {
    return textOf(this.bytes(at));
  }

  /** A text of at most 64 KiB. */
  short(at: number): string {
    if (this.bytes(at).length > 65_536) throw new LuaError(`bad argument #${at} (longer than 65536 bytes)`);
    return this.text(at);
  }

  buffer(at: number): Buffer {
    return bufferOf(this.bytes(at));
  }

  /** `undefined` when absent or nil. */
  optionalText(at: number): string | undefined {
    return this.value(at) === undefined ? undefined : this.text(at);
  }

  number(at: number): number {
    const value = this.value(at);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number !== 'number' || Number.isNaN(number))
      throw new LuaError(`bad argument #${at} (number expected, got ${kindOf(value)})`);
    return number;
  }

  optionalNumber(at: number): number | undefined {
    return this.value(at) === undefined ? undefined : this.number(at);
  }

  optionalBoolean(at: number): boolean | undefined {
    const value = this.value(at);
    return value === undefined ? undefined : value !== false;
  }

  table(at: number): LuaTable {
    const value = this.value(at);
    if (!isTable(value)) throw new LuaError(`bad argument #${at} (table expected, got ${kindOf(value)})`);
    return value;
  }

  optionalTable(at: number): LuaTable | undefined {
    return this.value(at) === undefined ? undefined : this.table(at);
  }
}

function kindOf(value: LuaValue): string {
  if (value === undefined) return 'nil';
  if (isArray(value)) return 'array';
  return isTable(value) ? 'table' : typeof value;
}

/** Modules that scripts `require`: name → function → what it does. A function returns its results. */
export type LuaFunction = (args: Arguments) => readonly LuaValue[];
export type LuaModules = Readonly<Record<string, Readonly<Record<string, LuaFunction>>>>;
