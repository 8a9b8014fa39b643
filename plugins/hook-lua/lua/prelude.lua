-- Makes the world of a script, and returns the function that runs one: it returns why the script failed, or nothing.
local host, array_mark, setting = ...

local error, load, next, pairs, select, setmetatable, tostring, type, xpcall =
  error, load, next, pairs, select, setmetatable, tostring, type, xpcall
local floor, concat, traceback = math.floor, table.concat, debug.traceback
local getmetatable, gsub, ipairs, sub = getmetatable, string.gsub, ipairs, string.sub

-- Passes on what the host returned; what it refused is an error at the line of the script.
local function finish(ok, ...)
  if ok then return ... end
  error((...), 2)
end

local function method(name)
  return function(...) return finish(host(name, ...)) end
end

-- A function of the host with a first argument that the script does not see.
local function bound(name, first)
  return function(...) return finish(host(name, first, ...)) end
end

local function object(module, names, first)
  local made = {}
  for _, name in next, names do made[name] = bound(module .. '.' .. name, first) end
  return made
end

-- Standard library -----------------------------------------------------------------------------------------------------

dofile, loadfile, warn = nil, nil, nil

-- Changing how the collector works is no use to a script, and has been the way into engines.
local collect = collectgarbage
local collections = { collect = true, count = true, step = true, isrunning = true }
function collectgarbage(option, argument)
  if option == nil then option = 'collect' end
  if not collections[option] then error("collectgarbage: option '" .. tostring(option) .. "' is not available to hooks", 2) end
  return collect(option, option == 'step' and argument or nil)
end

-- Text only: compiled chunks can break the engine.
function _G.load(chunk, name, _, ...)
  return load(chunk, name, 't', ...)
end

function print(...)
  local parts = {}
  for i = 1, select('#', ...) do parts[i] = tostring((select(i, ...))) end
  return finish(host('output.print', concat(parts, '\t') .. '\n'))
end

function array(t)
  if type(t) ~= 'table' then error('bad argument #1 to \'array\' (table expected, got ' .. type(t) .. ')', 2) end
  return setmetatable(t, array_mark)
end

string.dump, string.pack, string.unpack, string.packsize = nil, nil, nil, nil
local plain_find, lower, upper = string.find, string.lower, string.upper
local function has_high_bytes(s) return plain_find(s, '[\128-\255]') ~= nil end

-- Searches for the text itself, as scripts expect; a fourth argument of false searches for a pattern.
function string.find(s, wanted, init, plain)
  if plain == nil then plain = true end
  return plain_find(s, wanted, init, plain)
end

function string.lower(s)
  if type(s) == 'string' and has_high_bytes(s) then return finish(host('text.lower', s)) end
  return lower(s)
end

function string.upper(s)
  if type(s) == 'string' and has_high_bytes(s) then return finish(host('text.upper', s)) end
  return upper(s)
end

local exp, log = math.exp, math.log
math.pow = math.pow or function(x, y) return x ^ y end
math.log10 = math.log10 or function(x) return log(x, 10) end
math.sinh = math.sinh or function(x) return (exp(x) - exp(-x)) / 2 end
math.cosh = math.cosh or function(x) return (exp(x) + exp(-x)) / 2 end
math.tanh = math.tanh or function(x)
  if x > 20 then return 1 elseif x < -20 then return -1 end
  local e = exp(2 * x)
  return (e - 1) / (e + 1)
end
math.ldexp = math.ldexp or function(m, e) return m * 2.0 ^ e end
math.frexp = math.frexp or function(x)
  if x == 0 or x ~= x or x == math.huge or x == -math.huge then return x, 0 end
  local e = floor(log(x < 0 and -x or x, 2)) + 1
  local m = x / 2.0 ^ e
  if m >= 1 or m <= -1 then m, e = m / 2, e + 1 end
  if m < 0.5 and m > -0.5 then m, e = m * 2, e - 1 end
  return m, e
end

-- Numbers of 32 bits; others are reduced modulo 2^32.
local function word(x)
  local n = floor(x + 0.0) % 4294967296
  return math.tointeger(n)
end
local function all_bits(operation, start)
  return function(...)
    local r = start
    for i = 1, select('#', ...) do r = operation(r, word((select(i, ...)))) end
    return r
  end
end
local function field(f, w)
  w = w or 1
  if f < 0 then error('field cannot be negative', 3) end
  if w < 1 then error('width must be positive', 3) end
  if f + w > 32 then error('trying to access non-existent bits', 3) end
  return f, (1 << w) - 1
end
local function shift_left(x, n)
  x, n = word(x), math.tointeger(n)
  if n <= -32 or n >= 32 then return 0 end
  if n < 0 then return x >> -n end
  return (x << n) & 0xFFFFFFFF
end
bit32 = {
  band = all_bits(function(a, b) return a & b end, 0xFFFFFFFF),
  bor = all_bits(function(a, b) return a | b end, 0),
  bxor = all_bits(function(a, b) return a ~ b end, 0),
  bnot = function(x) return ~word(x) & 0xFFFFFFFF end,
  lshift = shift_left,
  rshift = function(x, n) return shift_left(x, -n) end,
  arshift = function(x, n)
    x, n = word(x), math.tointeger(n)
    if n < 0 or x & 0x80000000 == 0 then return shift_left(x, -n) end
    if n >= 32 then return 0xFFFFFFFF end
    return (x >> n | ~(0xFFFFFFFF >> n)) & 0xFFFFFFFF
  end,
  lrotate = function(x, n) x, n = word(x), n % 32 return (x << n | x >> (32 - n)) & 0xFFFFFFFF end,
  rrotate = function(x, n) x, n = word(x), -n % 32 return (x << n | x >> (32 - n)) & 0xFFFFFFFF end,
  extract = function(x, f, w) local at, mask = field(f, w) return word(x) >> at & mask end,
  replace = function(x, v, f, w)
    local at, mask = field(f, w)
    return (word(x) & ~(mask << at) | (word(v) & mask) << at) & 0xFFFFFFFF
  end,
}
bit32.btest = function(...) return bit32.band(...) ~= 0 end

-- Other functions read and change the locals of the functions here, such as the loader that takes compiled chunks.
debug = { traceback = traceback }

-- Modules ----------------------------------------------------------------------------------------------------------------

local internal = { output = true, text = true, regex = true, s3 = true, glue = true, blob = true, gs = true, databricks_client = true, delta = true }
local loaders = {}
for name, functions in next, setting.modules do
  if not internal[name] then
    loaders[name] = function()
      local module = {}
      for _, f in next, functions do module[f] = method(name .. '.' .. f) end
      return module
    end
  end
end

-- Modules whose functions make objects get them here.
local function extend(name, make)
  local plain = loaders[name]
  loaders[name] = function()
    local module = plain and plain() or {}
    make(module)
    return module
  end
end

local methods = setting.modules
extend('regexp', function(m)
  function m.compile(pattern)
    finish(host('regexp.match', pattern, ''))
    return object('regex', methods.regex, pattern)
  end
end)
extend('aws', function(m)
  function m.s3_client(key, secret, region, endpoint)
    return object('s3', methods.s3, { key = key, secret = secret, region = region, endpoint = endpoint })
  end
  function m.glue_client(key, secret, region, endpoint)
    return object('glue', methods.glue, { key = key, secret = secret, region = region, endpoint = endpoint })
  end
end)
extend('azure', function(m)
  function m.blob_client(account, key) return object('blob', methods.blob, { account = account, key = key }) end
end)
extend('gcloud', function(m)
  function m.gs_client(credentials) return object('gs', methods.gs, { credentials = credentials }) end
end)
extend('databricks', function(m)
  function m.client(address, token)
    return object('databricks_client', methods.databricks_client, { host = address, token = token })
  end
end)
extend('formats', function(m)
  function m.delta_client(key, secret, region)
    return object('delta', methods.delta, { key = key, secret = secret, region = region })
  end
end)

local failure
extend('hook', function(m)
  function m.fail(message)
    failure = tostring(message)
    error(failure, 0)
  end
end)

for name, source in next, setting.exports do
  local full = 'lakefs/catalogexport/' .. name
  loaders[full] = function() return load(source, '@' .. full .. '.lua', 't')(full) end
end
-- Both names of the product lead to the same module.
local aliases = {}
for name, loader in next, loaders do
  if plain_find(name, '^lakefs') then
    local alias = 'srv' .. sub(name, 7)
    local function both()
      local module = loader()
      package.loaded[name], package.loaded[alias] = module, module
      return module
    end
    aliases[name], aliases[alias] = both, both
  end
end
for name, loader in next, aliases do loaders[name] = loader end

package = { loaded = { _G = _G }, preload = {}, path = '', cpath = '', config = '/\n;\n?\n!\n-\n' }
for _, name in next, { 'table', 'string', 'math', 'bit32', 'debug' } do package.loaded[name] = _G[name] end
package.loaded.package = package
function package.searchpath(name) return nil, "\n\tno file '" .. name .. "'" end
function package.loadlib() return nil, 'dynamic libraries not enabled; check your Lua installation', 'absent' end
package.searchers = {
  function(name)
    local loader = package.preload[name]
    if loader then return loader end
    return "\n\tno field package.preload['" .. name .. "']"
  end,
  function(name)
    if loaders[name] then return loaders[name] end
    return "\n\tno module of hooks '" .. name .. "'"
  end,
}
function require(name)
  if type(name) ~= 'string' then error("bad argument #1 to 'require' (string expected, got " .. type(name) .. ')', 2) end
  local found = package.loaded[name]
  if found ~= nil then return found end
  -- `a.b` and `a/b` are the same module, unless the script made one.
  if not package.preload[name] and loaders[(gsub(name, '%.', '/'))] then name = (gsub(name, '%.', '/')) end
  if package.loaded[name] ~= nil then return package.loaded[name] end
  local tried = {}
  for _, searcher in ipairs(package.searchers) do
    local loader = searcher(name)
    if type(loader) == 'function' then
      if loader == loaders[name] then finish(host('output.loading', name)) end
      local module = loader(name)
      if module ~= nil then package.loaded[name] = module end
      if package.loaded[name] == nil then package.loaded[name] = true end
      return package.loaded[name]
    end
    tried[#tried + 1] = tostring(loader)
  end
  error("module '" .. name .. "' not found:" .. concat(tried), 2)
end

-- The script -------------------------------------------------------------------------------------------------------------

return function(job)
  action, args, username = job.action, job.args, job.username
  for _, name in next, job.withheld do loaders[name] = nil end

  local script, problem = load(job.script, 'lua', 't')
  if not script then return 'syntax error: ' .. problem end
  local function describe(e)
    if failure ~= nil and e == failure then return e end
    local kind = type(e)
    local text
    if kind == 'string' or kind == 'number' then text = tostring(e)
    elseif kind == 'table' and getmetatable(e) and getmetatable(e).__tostring then text = tostring(e)
    else text = '(error object is a ' .. kind .. ' value)' end
    -- The last lines are about this file.
    local trace = traceback('runtime error: ' .. text, 2)
    local ours = plain_find(trace, "\n\t[C]: in function 'xpcall'\n\tprelude:", 1, true)
    return ours and sub(trace, 1, ours - 1) or trace
  end
  local done, message = xpcall(script, describe)
  if done then return nil end
  message = tostring(message)
  if message == failure or plain_find(message, 'runtime error: ', 1, true) == 1 then return message end
  return 'runtime error: ' .. message
end
