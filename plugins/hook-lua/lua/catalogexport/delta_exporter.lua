-- Delta tables whose log names the objects by their physical addresses.
local json = require('encoding/json')
local lakefs = require('lakefs')
local path = require('path')
local strings = require('strings')
local url = require('net/url')
local z85 = require('encoding/z85enc')
local extractor = require('lakefs/catalogexport/table_extractor')
local internal = require('lakefs/catalogexport/internal')

local M = {}

local function without_suffix(name)
  if strings.has_suffix(name, '.yaml') then return name:sub(1, -6) end
  return name
end

-- The address of an object, escaped part by part; nil when it does not exist.
local function address_of(repo, commit, object_path, transform)
  local status, body = lakefs.stat_object(repo, commit, object_path)
  if status == 404 then return nil end
  if status ~= 200 then error('could not look up ' .. object_path .. ': HTTP ' .. tostring(status) .. ' ' .. tostring(body or '')) end
  local address = json.unmarshal(body).physical_address
  local parsed = url.parse(address)
  local parts = strings.split(parsed.path, '/')
  for i, part in ipairs(parts) do parts[i] = url.path_escape(part) end
  local escaped = parsed.scheme .. '://' .. parsed.host .. table.concat(parts, '/')
  if transform then return transform(escaped) end
  return escaped
end

-- The file of a deletion vector, relative to the table; nil for one that is inside of the log.
local function vector_path(vector)
  local kind = vector.storageType
  if kind == 'i' then return nil end
  if kind == 'p' then return vector.pathOrInlineDv end
  if kind ~= 'u' then error('deletion vector of unknown storage type `' .. tostring(kind) .. '`') end
  local uuid, prefix = z85.decode_uuid(vector.pathOrInlineDv)
  local name = 'deletion_vector_' .. uuid .. '.bin'
  if prefix ~= '' then return prefix .. '/' .. name end
  return name
end

local function relocate_vector(vector, context)
  local file = vector_path(vector)
  if not file then return end
  local address = address_of(context.repo, context.commit, path.join('/', context.table_path, file), context.transform)
  -- An absolute path leads out of the repository, to where it led before.
  if not address then return end
  vector.storageType, vector.pathOrInlineDv = 'p', address
  -- The offset still counts from the start of the same file.
end

-- One line of the log with addresses in place of paths.
local function relocate(line, context)
  local entry = json.unmarshal(line)
  for _, kind in ipairs({ 'add', 'remove', 'cdc' }) do
    local action = entry[kind]
    if action and action.path then
      local file = url.query_unescape(action.path)
      local address = address_of(context.repo, context.commit, path.join('/', context.table_path, file), context.transform)
      if address then
        action.path = address
      elseif kind == 'add' then
        context.missing[#context.missing + 1] = file
      end
      if action.deletionVector then relocate_vector(action.deletionVector, context) end
    end
  end
  return json.marshal(entry)
end

-- Names of tables whose files differ between two refs.
function M.changed_table_defs(names, descriptors_path, repo, ref, compare_ref)
  local changed = {}
  local diff = internal.lakefs_paginiated_api(function(offset, amount)
    return lakefs.diff_refs(repo, compare_ref, ref, offset, '', '', amount)
  end, '', 1000)
  local tables = {}
  for _, name in ipairs(names) do
    local file = path.join('/', descriptors_path, without_suffix(name) .. '.yaml')
    tables[name] = extractor.get_table_descriptor(lakefs, repo, ref, file).path
  end
  for page in diff do
    local seen = {}
    for _, entry in ipairs(page) do
      for _, name in ipairs(names) do
        local prefix = tables[name]
        if not strings.has_suffix(prefix, '/') then prefix = prefix .. '/' end
        if not seen[name] and strings.has_prefix(entry.path, prefix) then
          seen[name] = true
          changed[#changed + 1] = name
        end
      end
    end
  end
  return changed
end

function M.export_delta_log(action, table_names, write_object, delta_client, descriptors_path, path_transformer)
  local repo, commit = action.repository_id, action.commit_id
  if not commit or commit == '' then error('the event has no commit: export Delta tables after one') end
  local base = internal.get_storage_uri_prefix(action.storage_namespace, commit, action)
  local result = {}
  for _, table_name in ipairs(table_names) do
    local name = without_suffix(table_name)
    local descriptor = extractor.get_table_descriptor(lakefs, repo, commit, path.join('/', descriptors_path, name .. '.yaml'))
    local log, metadata = delta_client.get_table(repo, commit, descriptor.path)
    local context = { repo = repo, commit = commit, table_path = descriptor.path, transform = path_transformer, missing = {} }
    local files, version = {}, 0
    for _, lines in internal.sortedKeys(log) do
      local entries = {}
      for i, line in ipairs(lines) do entries[i] = relocate(line, context) end
      files[#files + 1] = { name = string.format('%020d.json', version), content = table.concat(entries) }
      version = version + 1
    end
    if #context.missing > 0 then error('The following objects were not found: ' .. table.concat(context.missing, ', ')) end
    local table_uri = path.join('/', base, name)
    local location = internal.parse_storage_uri(path.join('/', table_uri, '_delta_log'))
    for _, file in ipairs(files) do write_object(location.bucket, path.join('/', location.key, file.name), file.content) end
    local shown = table_uri
    if path_transformer then shown = path_transformer(table_uri) end
    result[table_name] = { path = shown, metadata = metadata }
  end
  return result
end

return M
