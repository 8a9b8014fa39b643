/** The C interface of the Lua engine: the functions of its WebAssembly module that are used here, without conversions of strings. */
import wasmoon from 'wasmoon';

/** All arguments and results are numbers; integers of Lua are bigints. Names are those of the Lua manual with a leading underscore. */
export interface RawLua {
  _malloc(size: number): number;
  _free(pointer: number): void;
  _luaL_newstate(): number;
  _luaL_requiref(state: number, name: number, open: number, global: number): void;
  _luaL_loadbufferx(state: number, buffer: number, size: number, name: number, mode: number): number;
  _luaL_ref(state: number, table: number): number;
  _lua_pcallk(state: number, args: number, results: number, handler: number, context: number, continuation: number): number;
  _lua_gettop(state: number): number;
  _lua_settop(state: number, index: number): void;
  _lua_absindex(state: number, index: number): number;
  _lua_checkstack(state: number, count: number): number;
  _lua_type(state: number, index: number): number;
  _lua_toboolean(state: number, index: number): number;
  _lua_tonumberx(state: number, index: number, isNumber: number): number;
  _lua_tolstring(state: number, index: number, length: number): number;
  _lua_topointer(state: number, index: number): number;
  _lua_rawlen(state: number, index: number): number;
  _lua_rawgeti(state: number, index: number, key: bigint): number;
  _lua_rawseti(state: number, index: number, key: bigint): void;
  _lua_rawset(state: number, index: number): void;
  _lua_next(state: number, index: number): number;
  _lua_getmetatable(state: number, index: number): number;
  _lua_setmetatable(state: number, index: number): number;
  _lua_createtable(state: number, list: number, record: number): void;
  _lua_pushnil(state: number): void;
  _lua_pushboolean(state: number, value: number): void;
  _lua_pushinteger(state: number, value: bigint): void;
  _lua_pushnumber(state: number, value: number): void;
  _lua_pushlstring(state: number, buffer: number, length: number): number;
  _lua_pushcclosure(state: number, callback: number, upvalues: number): void;
  _lua_pushvalue(state: number, index: number): void;
  addFunction(callback: (state: number) => number, signature: string): number;
  /** Another view after memory has grown. */
  readonly HEAPU8: Uint8Array;
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** @returns the earlier size in pages of 64 KiB. @throws RangeError. */
  grow(pages: number): number;
}

interface WithMemory {
  readonly WebAssembly: { readonly Memory: { readonly prototype: WasmMemory } };
}

/** Kinds of values, as `lua_type` numbers them. */
export const luaType = { none: -1, nil: 0, boolean: 1, number: 3, string: 4, table: 5 } as const;
/** Pseudo-index of the registry, a table that scripts cannot reach. */
export const registry = -1_001_000;

const used = [
  '_malloc',
  '_free',
  '_luaL_newstate',
  '_luaL_requiref',
  '_luaL_loadbufferx',
  '_luaL_ref',
  '_lua_pcallk',
  '_lua_gettop',
  '_lua_settop',
  '_lua_absindex',
  '_lua_checkstack',
  '_lua_type',
  '_lua_toboolean',
  '_lua_tonumberx',
  '_lua_tolstring',
  '_lua_topointer',
  '_lua_rawlen',
  '_lua_rawgeti',
  '_lua_rawseti',
  '_lua_rawset',
  '_lua_next',
  '_lua_getmetatable',
  '_lua_setmetatable',
  '_lua_createtable',
  '_lua_pushnil',
  '_lua_pushboolean',
  '_lua_pushinteger',
  '_lua_pushnumber',
  '_lua_pushlstring',
  '_lua_pushcclosure',
  '_lua_pushvalue',
  'addFunction',
] as const;

/** Standard libraries that scripts get, by the C function that opens each. */
export const libraries = {
  _G: 'luaopen_base',
  table: 'luaopen_table',
  string: 'luaopen_string',
  math: 'luaopen_math',
  debug: 'luaopen_debug',
};

export interface LuaModule {
  readonly raw: RawLua;
  /** Opens a standard library as a global. */
  open(state: number, name: keyof typeof libraries): void;
}

/**
 * Loads the engine. From then on the memory of every WebAssembly module in this thread stays below a bound: growth beyond it
 * fails, which Lua reports as `not enough memory`.
 * @param maxMemory bytes.
 */
export async function loadLua(maxMemory: number): Promise<LuaModule> {
  const { prototype } = (globalThis as typeof globalThis & WithMemory).WebAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function (this: WasmMemory, pages: number): number {
    if (this.buffer.byteLength + pages * 65_536 > maxMemory) throw new RangeError(`scripts get ${maxMemory} bytes of memory`);
    return grow.call(this, pages);
  };
  const wasm = await new wasmoon.LuaFactory().getLuaModule();
  const { module } = wasm;
  if (!isRawLua(module)) throw new Error('this build of wasmoon lacks functions of the C interface that hook-lua calls');
  printFloatsAsIntegers(module);
  return {
    raw: module,
    open: (state, name) => wasm.luaL_requiref(state, name, opener(module, libraries[name]), 1),
  };
}

function isRawLua(module: unknown): module is RawLua {
  const names = module as Readonly<Record<string, unknown>>;
  return used.every(name => typeof names[name] === 'function');
}

/** The C function's place in the table of functions. */
function opener(raw: RawLua, name: string): number {
  const open = (raw as RawLua & Readonly<Record<string, (state: number) => number>>)[`_${name}`];
  if (!open) throw new Error(`this build of wasmoon lacks ${name}`);
  return raw.addFunction(open, 'ii');
}

/**
 * Lua 5.2, for which scripts were written, prints 10/2 as `5`; this engine appends `.0` to text made of these characters
 * alone. With the list of characters emptied it no longer finds any.
 */
function printFloatsAsIntegers({ HEAPU8 }: RawLua): void {
  const memory = Buffer.from(HEAPU8.buffer, HEAPU8.byteOffset, HEAPU8.byteLength);
  const characters = Buffer.from('\0-0123456789\0');
  const at = memory.indexOf(characters);
  if (at < 0 || memory.indexOf(characters, at + 1) >= 0) throw new Error('this build of wasmoon formats numbers differently');
  memory[at + 1] = 0;
}
