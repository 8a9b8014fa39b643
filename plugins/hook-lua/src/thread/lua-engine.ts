/** A Lua engine of its own: runs chunks, and lets them call one function of the host, with strings as bytes. */
import { Budget } from './bounds.js';
import { maxDepth } from './limits.js';
import { LuaError, isArray, isTable } from './lua-value.js';
import { libraries, loadLua, luaType, registry } from './raw-lua.js';
import type { Bytes, LuaValue } from './lua-value.js';
import type { LuaModule, RawLua } from './raw-lua.js';

/** What a script calls. @throws LuaError, or any Error, that becomes an error of Lua. */
type HostFunction = (name: string, args: readonly LuaValue[]) => readonly LuaValue[];

/** Integers up to here print as Lua 5.2 prints them; larger ones are passed as floats. */
const largestInteger = 1e14;

export class LuaEngine {
  readonly #raw: RawLua;
  readonly #state: number;
  readonly #arrayMark: number;
  readonly #arrayMarkPointer: number;
  readonly #lengthPointer: number;
  /** Place of the prepared function in the registry. */
  #entry = 0;

  private constructor(module: LuaModule) {
    this.#raw = module.raw;
    this.#state = this.#raw._luaL_newstate();
    if (this.#state === 0) throw new Error('no memory for a Lua engine');
    this.#lengthPointer = this.#raw._malloc(8);
    for (const name of Object.keys(libraries)) {
      module.open(this.#state, name as keyof typeof libraries);
      this.#raw._lua_settop(this.#state, 0);
    }
    this.#raw._lua_createtable(this.#state, 0, 0);
    this.#arrayMarkPointer = this.#raw._lua_topointer(this.#state, -1);
    this.#arrayMark = this.#raw._luaL_ref(this.#state, registry);
  }

  /** @param maxMemory bytes. */
  static async open(maxMemory: number): Promise<LuaEngine> {
    return new LuaEngine(await loadLua(maxMemory));
  }

  /**
   * Runs a chunk with the host function and the metatable that marks arrays as its first two arguments. It returns the
   * function that {@link call} calls.
   * @throws LuaError with the text of the error of Lua.
   */
  prepare(chunk: Bytes, name: string, host: HostFunction, args: readonly LuaValue[]): void {
    const raw = this.#raw;
    const state = this.#state;
    raw._lua_settop(state, 0);
    const loaded = this.#withBytes(chunk, (code, size) =>
      this.#withBytes(`${name}\0`, chunkName => this.#withBytes('t\0', mode => raw._luaL_loadbufferx(state, code, size, chunkName, mode))),
    );
    if (loaded !== 0) throw this.#error();
    const callback = raw.addFunction(caller => this.#hostCall(caller, host), 'ii');
    raw._lua_pushcclosure(state, callback, 0);
    raw._lua_rawgeti(state, registry, BigInt(this.#arrayMark));
    for (const value of args) this.#push(state, value, 0);
    if (raw._lua_pcallk(state, 2 + args.length, 1, 0, 0, 0) !== 0) throw this.#error();
    this.#entry = raw._luaL_ref(state, registry);
  }

  /** Calls the function that the chunk of {@link prepare} returned. @throws LuaError with the text of the error of Lua. */
  call(args: readonly LuaValue[]): readonly LuaValue[] {
    const raw = this.#raw;
    const state = this.#state;
    raw._lua_settop(state, 0);
    raw._lua_rawgeti(state, registry, BigInt(this.#entry));
    for (const value of args) this.#push(state, value, 0);
    if (raw._lua_pcallk(state, args.length, -1, 0, 0, 0) !== 0) throw this.#error();
    return this.#results(state);
  }

  #results(state: number): LuaValue[] {
    const budget = new Budget();
    return Array.from({ length: this.#raw._lua_gettop(state) }, (_, i) => this.#read(state, i + 1, 0, budget));
  }

  /** Errors are returned, not raised: unwinding the engine's stack from here would skip its own clean-up. */
  #hostCall(state: number, host: HostFunction): number {
    const raw = this.#raw;
    let results: readonly LuaValue[];
    try {
      const [name, ...args] = this.#results(state);
      results = [true, ...host(String(name), args)];
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      results = [false, Buffer.from(text, 'utf8').toString('latin1')];
    }
    raw._lua_settop(state, 0);
    // Outside of `try`: lack of memory unwinds from here to the nearest `pcall` by an exception of the engine.
    for (const value of results) this.#push(state, value, 0);
    return results.length;
  }

  #error(): LuaError {
    const value =
      this.#raw._lua_type(this.#state, -1) === luaType.string ? this.#readString(this.#state, -1, new Budget()) : 'unknown error';
    this.#raw._lua_settop(this.#state, 0);
    return new LuaError(value);
  }

  #read(state: number, index: number, depth: number, budget: Budget): LuaValue {
    const raw = this.#raw;
    const type = raw._lua_type(state, index);
    switch (type) {
      case luaType.none:
      case luaType.nil:
        return undefined;
      case luaType.boolean:
        return raw._lua_toboolean(state, index) !== 0;
      case luaType.number:
        return raw._lua_tonumberx(state, index, 0);
      case luaType.string:
        return this.#readString(state, index, budget);
      case luaType.table:
        return this.#readTable(state, raw._lua_absindex(state, index), depth + 1, budget);
      default:
        throw new LuaError('a function or userdata cannot be passed to a module');
    }
  }

  #readString(state: number, index: number, budget: Budget): Bytes {
    const pointer = this.#raw._lua_tolstring(state, index, this.#lengthPointer);
    const { HEAPU8 } = this.#raw;
    const length = Buffer.from(HEAPU8.buffer, this.#lengthPointer, 4).readUInt32LE();
    budget.take(length);
    return Buffer.from(HEAPU8.buffer, pointer, length).toString('latin1');
  }

  #readTable(state: number, index: number, depth: number, budget: Budget): LuaValue {
    if (depth > maxDepth) throw new LuaError(`more than ${maxDepth} levels of nested tables, or a table that holds itself`);
    const raw = this.#raw;
    if (raw._lua_checkstack(state, 8) === 0) throw new LuaError('stack overflow');
    const array = this.#isArray(state, index);
    if (array) {
      const items: LuaValue[] = [];
      const length = raw._lua_rawlen(state, index);
      for (let i = 1; i <= length; i++) {
        raw._lua_rawgeti(state, index, BigInt(i));
        budget.take(0);
        items.push(this.#read(state, -1, depth, budget));
        raw._lua_settop(state, -2);
      }
      return items;
    }
    const table = new Map<Bytes, LuaValue>();
    raw._lua_pushnil(state);
    while (raw._lua_next(state, index) !== 0) {
      if (raw._lua_type(state, -2) !== luaType.string) {
        raw._lua_settop(state, -3);
        throw new LuaError("invalid key to 'next': a table with keys that are not strings cannot be passed; mark a list with array(t)");
      }
      table.set(this.#readString(state, -2, budget), this.#read(state, -1, depth, budget));
      raw._lua_settop(state, -2);
    }
    return table;
  }

  #isArray(state: number, index: number): boolean {
    if (this.#raw._lua_getmetatable(state, index) === 0) return false;
    const pointer = this.#raw._lua_topointer(state, -1);
    this.#raw._lua_settop(state, -2);
    return pointer === this.#arrayMarkPointer;
  }

  #push(state: number, value: LuaValue, depth: number): void {
    const raw = this.#raw;
    if (value === undefined) raw._lua_pushnil(state);
    else if (typeof value === 'boolean') raw._lua_pushboolean(state, value ? 1 : 0);
    else if (typeof value === 'number') {
      if (Number.isInteger(value) && Math.abs(value) < largestInteger) raw._lua_pushinteger(state, BigInt(value));
      else raw._lua_pushnumber(state, value);
    } else if (typeof value === 'string') this.#pushString(state, value);
    else this.#pushTable(state, value, depth + 1);
  }

  /** The copy on the engine's heap is freed even when there is no memory for another: the engine then throws. */
  #pushString(state: number, value: Bytes): void {
    this.#withBytes(value, (pointer, length) => this.#raw._lua_pushlstring(state, pointer, length));
  }

  #pushTable(state: number, value: LuaValue, depth: number): void {
    const raw = this.#raw;
    // One stack slot a level for the table, and a few for what is set.
    if (depth > 2 * maxDepth || raw._lua_checkstack(state, 8) === 0) throw new LuaError(`more than ${maxDepth} levels of nested values`);
    if (isArray(value)) {
      raw._lua_createtable(state, value.length, 0);
      let at = 0;
      for (const item of value) {
        this.#push(state, item, depth);
        raw._lua_rawseti(state, -2, BigInt(++at));
      }
      raw._lua_rawgeti(state, registry, BigInt(this.#arrayMark));
      raw._lua_setmetatable(state, -2);
    } else if (isTable(value)) {
      raw._lua_createtable(state, 0, value.size);
      for (const [key, item] of value) {
        this.#push(state, key, depth);
        this.#push(state, item, depth);
        raw._lua_rawset(state, -3);
      }
    }
  }

  #withBytes<T>(bytes: Bytes, use: (pointer: number, length: number) => T): T {
    const { length } = bytes;
    const pointer = this.#raw._malloc(Math.max(length, 1));
    if (pointer === 0) throw new LuaError('not enough memory');
    try {
      Buffer.from(this.#raw.HEAPU8.buffer, pointer, length).write(bytes, 'latin1');
      return use(pointer, length);
    } finally {
      this.#raw._free(pointer);
    }
  }
}
