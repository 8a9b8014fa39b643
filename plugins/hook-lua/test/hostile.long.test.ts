/** Scripts that mean harm: they fail, or are stopped, and nothing else happens. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seededRandom } from '@srv/kernel/testing';
import wasmoon from 'wasmoon';
import { TestRunner } from './run-script.js';

/** Milliseconds. */
const computing = 500;

/** These compute until they are stopped. */
const endless: readonly string[] = [
  'while true do end',
  'while true do pcall(function() while true do end end) end',
  'local function f() return pcall(f) or true end while true do f() end',
  'repeat until false',
  '::again:: goto again',
  'for i = 1, math.huge do end',
  'local function loop() return loop() end loop()',
  'while true do xpcall(error, function() while true do end end) end',
  'setmetatable({}, {__gc = function() while true do end end}) collectgarbage()',
  'local t = setmetatable({}, {__index = function() while true do end end}) pcall(function() return t.x end) print(t.x)',
  'local t = setmetatable({}, {__tostring = function() while true do end end}) print(t)',
  'table.sort({1, 2, 3}, function() while true do end end)',
  '("x"):gsub(".", function() while true do end end)',
  'print(("a"):rep(40):find(("a?"):rep(40) .. ("a"):rep(40), 1, false)) while true do ("a"):rep(40):match(("a-"):rep(30) .. "b") end',
  'load(function() while true do end end)',
  'while true do load("return " .. ("1+"):rep(1000) .. "1") end',
  'local t = {} for i = 1, 1000 do t[i] = i end while true do table.sort(t, function(a, b) return a > b end) end',
  'local json = require("encoding/json") while true do pcall(json.marshal, {a = 1}) end',
  'while true do pcall(require("lakefs").get_object, nil) end',
  'while true do print(("x"):rep(1000)) end',
  'error, pcall, print = nil while true do end',
  'local function f() local ok = pcall(f) return f() + 1 end f()',
];

/** These fail on their own, sooner or later, and say why. */
const failing: readonly (readonly [script: string, failure: RegExp])[] = [
  ['local t = {} while true do t[#t + 1] = ("x"):rep(1e6) .. #t end', /not enough memory/],
  ['local s = "x" while true do s = s .. s end', /not enough memory|string/],
  ['local t = {} local n = 0 while true do n = n + 1 t[n] = {n} end', /not enough memory/],
  ['print(#("x"):rep(1e9))', /not enough memory/],
  ['print(#("x"):rep(1e9, ("y"):rep(1e9)))', /resulting string too large|not enough memory/],
  ['string.format("%99999d", 1)', /invalid conversion|invalid format/],
  ['local t = {} for i = 1, 1e9 do t[i] = true end', /not enough memory/],
  ['table.concat(setmetatable({}, {__len = function() return 1e9 end}), "x")', /invalid value|table/],
  ['return table.unpack({}, 1, 1e8)', /too many results to unpack/],
  ['table.pack(string.byte(("x"):rep(1e7), 1, -1))', /string slice too long/],
  ['local function f() return 1 + f() end f()', /stack overflow|not enough memory/],
  ['local t = setmetatable({}, {}) getmetatable(t).__index = t print(t.x)', /loop|stack overflow/],
  ['local f f = function() return setmetatable({}, {__index = function(_, k) return f()[k] end}) end print(f().x)', /stack overflow/],
  ['local s = "return 1" for i = 1, 300 do s = "do " .. s .. " end" end assert(load(s))', /overflow|levels/],
  ['assert(load("return " .. ("("):rep(1e5)))', /overflow|levels/],
  ['assert(load("return " .. ("{"):rep(1e5)))', /overflow|levels/],
  ['("a"):rep(300000):match(("(a"):rep(200))', /too many captures|malformed/],
  ['(("a"):rep(220000)):match(("a?"):rep(220000) .. "b")', /pattern too complex/],
  ['os.exit(3)', /attempt to index a nil value \(global 'os'\)/],
  ['io.open("/etc/passwd")', /global 'io'/],
  ['coroutine.wrap(function() end)', /global 'coroutine'/],
  ['require("os").exit(1)', /module 'os' not found/],
  ['dofile("/etc/passwd")', /global 'dofile'/],
  ['string.dump(print)', /field 'dump'/],
  ['assert(load("\\27LuaT\\0\\25\\147\\r\\n\\26\\n", "x", "b"))', /binary chunk/],
  ['local t = {} t.t = t require("encoding/json").marshal(t)', /holds itself/],
  ['local t = {} for i = 1, 5000 do t = {t = t} end require("encoding/json").marshal(t)', /more than 100 levels/],
  ['local t = array({}) t[1] = t require("encoding/yaml").marshal(t)', /holds itself/],
  ['local json = require("encoding/json") local s = "x" for i = 1, 25 do s = json.marshal(s .. s) end', /memory|not enough/],
  ['require("encoding/parquet").get_schema("PAR1 not really PAR1")', /not a Parquet file/],
  ['require("encoding/parquet").get_schema("PAR1\\0\\255\\255\\255\\127PAR1")', /not a Parquet file/],
  ['require("regexp").match(("("):rep(2000) .. (")"):rep(2000), "x")', /nest|depth|runtime error/],
  ['_G.print = nil _ENV = nil print("x")', /_ENV/],
  ['setmetatable(_G, {__index = function(_, k) error("no " .. k, 0) end}) nothing()', /no nothing/],
  ['getmetatable("").__index = function() error("strings gone", 0) end local s = ("x").y', /strings gone/],
  ['error(("x"):rep(1e6))', /runtime error: /],
  ['local m = getmetatable(array({})) m.__gc = 1 m.__metatable = false setmetatable(array({}), {})', /protected metatable/],
  ['pcall(error) error("\\255\\0\\200")', /runtime error/],
];

/** What modules refuse: JavaScript memory that runs out would end the whole process. */
const amplifying: readonly (readonly [script: string, failure: RegExp])[] = [
  ['local t = array({}) for i = 1, 1100000 do t[i] = true end require("encoding/json").marshal(t)', /one call can pass 1000000 values/],
  ['local s = ("x"):rep(20e6) require("strings").has_prefix(s, s, s, s, s, s, s, s)', /one call can pass 134217728 bytes/],
  ['local s = ("x"):rep(20e6) local t = array({}) for i = 1, 1000 do t[i] = s end require("encoding/json").marshal(t)', /134217728 bytes/],
  ['require("strings").split(("a,"):rep(15e6), ",")', /more than 1000000 values/],
  ['require("strings").split(("a"):rep(30e6), "")', /more than 1000000 values/],
  ['require("strings").replace(("a"):rep(900000), "a", ("b"):rep(1000), -1)', /a text of 900900000 bytes is too long/],
  ['require("regexp").compile("a").find_all(("a"):rep(3e6), -1)', /more than 1000000 values/],
  ['require("regexp").match(("a"):rep(20000), "a")', /too long/],
  ['require("regexp").match("((a{1000}){1000}){1000}", "a")', /invalid|repeat|too/],
  ['require("encoding/yaml").unmarshal(("- a\\n"):rep(1e6))', /too long/],
  ['require("encoding/json").unmarshal("[" .. ("[],"):rep(5e6) .. "1]")', /more than 1000000 values/],
  ['require("encoding/json").marshal(("\\0"):rep(35e6))', /too long/],
  ['require("time").format(0, ("2006"):rep(1e6), "UTC")', /longer than 65536 bytes/],
  ['require("net/url").path_escape((" "):rep(1e6))', /longer than 65536 bytes/],
  ['require("encoding/parquet").get_schema(("x"):rep(1000) .. "\\255\\255\\255\\127PAR1")', /not a Parquet file/],
  ['require("encoding/parquet").get_schema(("x"):rep(10e6) .. "\\0\\0\\144\\0PAR1")', /a text of 9437184 bytes is too long/],
];

/** These look dangerous and end well. */
const harmless: readonly (readonly [script: string, output: string])[] = [
  ['for i = 1, 50 do pcall(string.rep, "x", 1e9) end print("alive")', 'alive\n'],
  [
    'local ok, e = pcall(function() local t = {} while true do t[#t + 1] = ("y"):rep(1e6) .. #t end end) print(ok, e)',
    'false\tnot enough memory\n',
  ],
  ['local function f() f() end for i = 1, 3 do pcall(f) end print("alive")', 'alive\n'],
  ['package.loaded.string = nil print(pcall(require, "string") == false)', 'true\n'],
  ['for name in pairs(debug) do print(name) end print(debug == require("debug"))', 'traceback\ntrue\n'],
  ['string = nil table = nil math = nil print(("x"):upper())', 'X\n'],
  ['print(#(("\\0"):rep(1e6)), ("\\255\\254"):byte(2))', '1000000\t254\n'],
  ['load = nil error = nil xpcall = nil tostring = nil print("still", 1)', 'still\t1\n'],
  ['setmetatable(_G, {__newindex = function() end}) x = 1 print(x)', 'nil\n'],
  ['while true do if true then break end end print(select("#", table.unpack({}, 1, 200)))', '200\n'],
];

/** Chunks with a byte changed, which one script tries to load. */
const changedChunks = 200;

/** What would lead past the environment of scripts. `args.chunk` is a compiled chunk that prints `compiled`. */
const escapes: readonly (readonly [script: string, failure: RegExp])[] = [
  ['local _, raw = debug.getupvalue(load, 1) raw(args.chunk)()', /field 'getupvalue'/],
  ['debug.setupvalue(load, 1, print)', /field 'setupvalue'/],
  ['debug.upvalueid(load, 1)', /field 'upvalueid'/],
  ['debug.upvaluejoin(load, 1, print, 1)', /field 'upvaluejoin'/],
  ['print(debug.getinfo(1, "f").func)', /field 'getinfo'/],
  ['debug.getlocal(3, 1)', /field 'getlocal'/],
  ['debug.setlocal(2, 1, nil)', /field 'setlocal'/],
  ['debug.getmetatable("").__index = nil', /field 'getmetatable'/],
  ['debug.setmetatable(nil, {__index = print})', /field 'setmetatable'/],
  ['debug.getregistry()._LOADED.os.exit()', /field 'getregistry'/],
  ['debug.sethook(function() end, "", 1)', /field 'sethook'/],
  ['debug.gethook()', /field 'gethook'/],
  ['debug.getuservalue(1, 1)', /field 'getuservalue'/],
  ['debug.setcstacklimit(1e6)', /field 'setcstacklimit'/],
  ['debug.debug()', /field 'debug'/],
  ['assert(load(args.chunk))()', /attempt to load a binary chunk/],
  ['assert(load(args.chunk, "x", "b"))()', /attempt to load a binary chunk/],
  ['assert(load(args.chunk, "x", "bt", {}))()', /attempt to load a binary chunk/],
  ['local at = 0 assert(load(function() at = at + 1 return args.chunk:sub(at, at) end, "x", "b"))()', /attempt to load a binary chunk/],
  ['assert(load(setmetatable({}, {__call = function() return args.chunk end})))()', /bad argument #1 to 'load'|function expected/],
  ['package.preload.x = load(args.chunk) require("x")', /module 'x' not found/],
  ['string.dump(function() end)', /field 'dump'/],
  ['("").dump(print)', /field 'dump'/],
  ['collectgarbage("generational")', /option 'generational' is not available/],
  ['collectgarbage("stop")', /option 'stop' is not available/],
  ['collectgarbage(setmetatable({}, {__tostring = function() return "incremental" end}))', /option 'incremental' is not available/],
  ['package.loaded._G.host("lakefs.get_object", {})', /field 'host'/],
  ['require("package").searchers[2]("output")("output")', /attempt to call a string value/],
  ['local f = require("regexp").compile("a").find f.x = 1', /attempt to index a function value/],
  ['_ENV = {load = load, args = args} load(args.chunk)()', /attempt to call a nil value/],
];

describe('hostile scripts', { concurrency: 2 }, () => {
  let scripts: TestRunner;
  before(() => (scripts = new TestRunner({ computing, total: 30_000 })));
  after(async () => {
    // Whatever they tried, the process continues as before and the next script runs.
    await scripts.close();
    const next = new TestRunner();
    assert.deepEqual(await next.run('print("alive")'), { output: 'alive\n' });
    await next.close();
  });
  for (const script of endless)
    it(`is stopped: ${script.slice(0, 90)}`, async () => {
      assert.match((await scripts.run(script)).failure ?? 'it ended', /computed for more than 0.5 s/);
    });
});

describe('ways out', { concurrency: 2 }, () => {
  let scripts: TestRunner;
  let chunk: Buffer;
  before(async () => {
    scripts = new TestRunner();
    const engine = await new wasmoon.LuaFactory().createEngine();
    const hex = (await engine.doString(
      'return (string.dump(function() print("compiled") end):gsub(".", function(c) return ("%02x"):format(c:byte()) end))',
    )) as string;
    engine.global.close();
    chunk = Buffer.from(hex, 'hex');
    assert.equal(chunk.subarray(0, 4).toString('latin1'), '\x1bLua');
  });
  after(() => scripts.close());
  const run = (script: string, given: Buffer) => {
    // The bytes are a literal: properties of hooks are text.
    const literal = [...given].map(byte => `\\${String(byte).padStart(3, '0')}`).join('');
    return scripts.run(`args.chunk = "${literal}"\n${script}`);
  };
  for (const [script, expected] of escapes)
    it(`closed: ${script.slice(0, 90)}`, async () => {
      const { output, failure } = await run(script, chunk);
      assert.equal(output, '');
      assert.match(failure ?? 'it succeeded', expected);
    });

  it('closed: compiled chunks with any byte changed', async () => {
    const random = seededRandom();
    const changed = Array.from({ length: changedChunks }, () => {
      const bytes = Buffer.from(chunk);
      bytes[4 + random.below(chunk.length - 4)] = random.below(256);
      return bytes;
    });
    const script = `
      local length = ${chunk.length}
      for at = 1, #args.chunk, length do
        local loaded, message = load(args.chunk:sub(at, at + length - 1))
        assert(loaded == nil and message:find("attempt to load a binary chunk", 1, true), at)
      end
      print(#args.chunk // length)`;
    const { output, failure } = await run(script, Buffer.concat(changed));
    assert.deepEqual([output.trim(), failure], [String(changedChunks), undefined], `seed ${random.seed}`);
  });
});

describe('scripts that ask for too much', { concurrency: 2 }, () => {
  let scripts: TestRunner;
  before(() => (scripts = new TestRunner({ memory: 128 << 20 })));
  after(() => scripts.close());
  for (const [script, expected] of [...failing, ...amplifying])
    it(`fails: ${script.slice(0, 90)}`, async () => {
      assert.match((await scripts.run(script)).failure ?? 'it succeeded', expected);
    });
  for (const [script, expected] of harmless)
    it(`ends: ${script.slice(0, 90)}`, async () => {
      assert.deepEqual(await scripts.run(script), { output: expected });
    });
});
