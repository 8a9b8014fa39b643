/** The language that scripts were written for: numbers, strings, libraries, globals. */
import { testScripts } from './cases.js';

testScripts('numbers print as in Lua 5.2', [
  ['print(200, 200.0, 10/2, 2^10, 7 % 3)', '200\t200\t5\t1024\t1'],
  ['print("n=" .. 10/2, "n=" .. 1.5, tostring(4/2))', 'n=5\tn=1.5\t2'],
  ['print(1e15, 1e14, 0.1, 1/3)', '1e+15\t1e+14\t0.1\t0.33333333333333'],
  ['print(1/0, -1/0)', 'inf\t-inf'],
  ['print(-0.5, 3 - 3.0, #("x"):rep(3))', '-0.5\t0\t3'],
  ['print(tonumber("0x10"), tonumber("10", 2), tonumber("z", 36), tonumber("nope"))', '16\t2\t35\tnil'],
  ['print(string.format("%d %5.2f %s %q", 3.0, 2.5, "x", "a\\nb"))', '3  2.50 x "a\\\nb"'],
  ['print(math.floor(2.7), math.ceil(2.1), math.max(1, 5, 3), math.min(2, 1))', '2\t3\t5\t1'],
  ['print(math.pow(2, 8), math.log10(1000), math.sqrt(16), math.abs(-3))', '256\t3\t4\t3'],
  ['print(math.frexp(8), math.ldexp(0.5, 4), math.fmod(7, 3), math.modf(3.5))', '0.5\t8\t1\t3\t0.5'],
  ['print(math.frexp(10))', '0.625\t4'],
  ['print(string.format("%.4f %.4f %.4f", math.sinh(1), math.cosh(1), math.tanh(1)))', '1.1752 1.5431 0.7616'],
  ['print(math.huge, math.pi, math.type == nil)', 'inf\t3.1415926535898\tfalse'],
  ['math.randomseed(1) local x = math.random(1, 6) print(x >= 1 and x <= 6)', 'true'],
  ['for i = 1, 3 do io = i end print(io) for i = 1, 2, 0.5 do print(i) end', '3\n1\n1.5\n2'],
  ['local t = {} t[1.0] = "a" print(t[1])', 'a'],
]);

testScripts('bit32', [
  ['print(bit32.band(0xFF, 0x0F), bit32.bor(1, 2, 4), bit32.bxor(5, 1), bit32.bnot(0))', '15\t7\t4\t4294967295'],
  ['print(bit32.lshift(1, 31), bit32.rshift(0x80000000, 31), bit32.lshift(1, 32), bit32.lshift(4, -1))', '2147483648\t1\t0\t2'],
  ['print(bit32.arshift(0x80000000, 31), bit32.arshift(-8, 1), bit32.arshift(8, 1))', '4294967295\t4294967292\t4'],
  ['print(bit32.lrotate(0x80000001, 1), bit32.rrotate(1, 1), bit32.lrotate(5, 0))', '3\t2147483648\t5'],
  ['print(bit32.extract(0xF0, 4, 4), bit32.replace(0, 0xF, 4, 4), bit32.btest(1, 3), bit32.btest(1, 2))', '15\t240\ttrue\tfalse'],
  ['print(bit32.band(-1), bit32.band(2^32 + 5), bit32.band())', '4294967295\t5\t4294967295'],
  ['bit32.extract(1, 32)', /trying to access non-existent bits/],
]);

testScripts('strings are bytes', [
  ['print(#"\\0\\255\\200", ("\\0\\255"):byte(1, 2))', '3\t0\t255'],
  ['print("a\\0b\\255")', 'a\0b\xff'],
  ['print(("abc"):upper(), ("ABC"):lower(), ("abc"):reverse(), ("ab"):rep(3, "-"))', 'ABC\tabc\tcba\tab-ab-ab'],
  ['print(("ÄÖé"):lower(), ("äöß"):upper() == "ÄÖSS")', `${Buffer.from('äöé').toString('latin1')}\ttrue`],
  ['print(("a\\255B"):lower():byte(1, -1))', '97\t239\t191\t189\t98'],
  ['print(("a.b-c"):find(".", 1, true), ("a.b-c"):find("-c"), ("abc"):find("z"))', '2\t4\tnil'],
  ['print(("a-b"):find("a-b"), ("x%d"):find("%d"), ("aaa"):find("a", 2))', '1\t2\t2\t2'],
  ['print(("key=val"):find("(%w+)=(%w+)", 1, false))', '1\t7\tkey\tval'],
  ['print(("key=val"):match("(%w+)=(%w+)"), ("a,b"):gsub(",", ";"))', 'key\ta;b\t1'],
  ['for word in ("a b c"):gmatch("%a") do io = (io or "") .. word end print(io)', 'abc'],
  ['print(("héllo"):len(), ("héllo"):sub(1, 1), string.char(104, 105))', '6\th\thi'],
  ['print(string.dump, string.pack)', 'nil\tnil'],
  ['print(#string.rep("x", 1e6), ("x"):rep(0) == "")', '1000000\ttrue'],
]);

testScripts('tables and functions', [
  ['print(table.concat({1, 2.0, "x"}, ","), select("#", nil, nil), select(-1, 1, 2))', '1,2,x\t2\t2'],
  ['local t = {3, 1, 2} table.sort(t) print(table.concat(t, " ")) table.sort(t, function(a, b) return a > b end) print(t[1])', '1 2 3\n3'],
  ['local t = {1, 2} table.insert(t, 3) table.insert(t, 1, 0) print(table.remove(t), table.remove(t, 1), #t)', '3\t0\t2'],
  ['print(table.unpack({1, 2, 3}, 2)) local p = table.pack(1, nil) print(p.n)', '2\t3\n2'],
  [
    'local t = setmetatable({}, {__index = function(_, k) return k .. "!" end, __call = function(_, x) return x + 1 end}) print(t.a, t(1))',
    'a!\t2',
  ],
  ['local t = setmetatable({}, {__tostring = function() return "T" end, __len = function() return 7 end}) print(t, #t)', 'T\t7'],
  ['local t = setmetatable({}, {__pairs = function() return next, {x = 1} end}) for k, v in pairs(t) do print(k, v) end', 'x\t1'],
  ['print(rawequal({}, {}), rawlen({1, 2}), rawget({a = 1}, "a"), rawset({}, "b", 2).b)', 'false\t2\t1\t2'],
  ['print(next({}), type(next), type(nil), #{n = 1})', 'nil\tfunction\tnil\t0'],
  ['print(pcall(error, "x")) print(pcall(error, {1}) == false) print(select("#", pcall(error)))', 'false\tx\ntrue\n2'],
  ['print(xpcall(function() error("a", 0) end, function(e) return e .. "b" end))', 'false\tab'],
  ['print(load("return 1 + 1")(), load("syntax error"))', '2\tnil\t[string "syntax error"]:1: syntax error near \'error\''],
  ['print(load(function() return nil end) ~= nil, load("return x", "c", "t", {x = 5})())', 'true\t5'],
  ['print(load("\\27Lua", "b", "b"))', "nil\tattempt to load a binary chunk (mode is 't')"],
  ['goto done do print("no") end ::done:: print("yes")', 'yes'],
  ['local a <const> = 1 print(a)', '1'],
  ['assert(false, "assertion")', /^runtime error: \[string "lua"\]:1: assertion\nstack/],
  ['print(collectgarbage("count") > 0, collectgarbage())', 'true\t0'],
  ['print(tostring(nil), tostring(true), type(tostring({})))', 'nil\ttrue\tstring'],
  ['print(debug.traceback("t"):sub(1, 18))', 't\nstack traceback:'],
]);

testScripts(
  'globals',
  [
    ['print(os, io, coroutine, utf8, dofile, loadfile, unpack, loadstring)', 'nil\tnil\tnil\tnil\tnil\tnil\tnil\tnil'],
    ['print(username, type(args), type(action), _G.print == print)', 'ann\ttable\ttable\ttrue'],
    ['print(args.name, args.list[2], #args.list, args.deep.x, args.flag, args.none)', 'zoo\tb\t2\t1.5\tfalse\tnil'],
    ['print(action.branch_id, action.commit.message, action.commit.metadata.k, #action.commit.parents)', 'main\thello\tv\t1'],
    [
      'print(package.path, type(package.loaded), package.loadlib("x", "y"))',
      '\ttable\tnil\tdynamic libraries not enabled; check your Lua installation\tabsent',
    ],
    ['print(package.loaded.string == string, package.searchpath("a", "b"), #package.searchers)', 'true\tnil\t2'],
    [
      'package.preload.mine = function(name) return {name = name} end print(require("mine").name, require("mine") == require("mine"))',
      'mine\ttrue',
    ],
    ['print(require("encoding/json") == require("encoding.json"), require("lakefs") == require("srv"))', 'true\ttrue'],
    ['print(require("lakefs/catalogexport/hive") == require("srv.catalogexport.hive"))', 'true'],
    ['require("nothing/here")', /module 'nothing\/here' not found:/],
    [
      'print(pcall(require, "net/http"))',
      "false\tmodule 'net/http' not found:\n\tno field package.preload['net/http']\n\tno module of hooks 'net/http'",
    ],
    ['print(pcall(require, "../../etc/passwd") == false, pcall(require, "s3") == false)', 'true\ttrue'],
    ['print() print(nil) print(1, nil, "x")', '\nnil\n1\tnil\tx'],
    ['return 42, "ignored"', /printed $/],
    ['local a = array({}) print(#a, array(a) == a) table.insert(a, 1) print(#a)', '0\ttrue\n1'],
  ],
  {
    args: { name: 'zoo', list: ['a', 'b'], deep: { x: 1.5 }, flag: false, none: null },
    action: { branch_id: 'main', commit: { message: 'hello', metadata: { k: 'v' }, parents: ['p'] } },
  },
);

testScripts('how scripts fail', [
  ['error("boom")', /^runtime error: \[string "lua"\]:1: boom\nstack traceback:\n\t/],
  ['\n\nlocal x = nil\nprint(x.y)', /^runtime error: \[string "lua"\]:4: attempt to index a nil value/],
  ['if then', /^syntax error: \[string "lua"\]:1: unexpected symbol near 'then'$/],
  ['error({code = 1})', /^runtime error: \(error object is a table value\)/],
  ['error(setmetatable({}, {__tostring = function() return "mine" end}))', /^runtime error: mine/],
  ['error()', /^runtime error: \(error object is a nil value\)/],
  ['error("no place", 0)', /^runtime error: no place\nstack/],
  ['require("hook").fail("not today")', /^not today$/],
  ['print(pcall(require("hook").fail, "caught")) print("on")', 'false\tcaught\non'],
  ['local hook = require("hook") pcall(hook.fail, "first") hook.fail("second")', /^second$/],
  ['require("encoding/json").unmarshal("{")', /^runtime error: \[string "lua"\]:1: not JSON: /],
]);
