-- Tables partitioned the way Hive does it: a folder column=value for each partition column.
local path = require('path')
local strings = require('strings')
local internal = require('lakefs/catalogexport/internal')

local M = {}

-- The path up to the last partition column's folder; nil when a column is missing.
local function partition_of(object_path, base_path, columns)
  if #columns == 0 then return '' end
  local at = 1
  local last
  local below = object_path:sub(#base_path + 1)
  local parts = strings.split(below, '/')
  local found, length = 0, #base_path
  for i = 1, #parts - 1 do
    length = length + #parts[i] + 1
    local column = columns[at]
    if column and strings.has_prefix(parts[i], column .. '=') then
      found, at, last = found + 1, at + 1, length
    end
  end
  if found < #columns then return nil end
  return object_path:sub(1, last)
end

local function is_data(entry, base_path)
  if entry.path_type and entry.path_type ~= 'object' then return false end
  if strings.has_suffix(entry.path, '/') and (entry.size_bytes or 0) == 0 then return false end
  return not path.is_hidden(entry.path:sub(#base_path + 1))
end

-- Iterates over partitions: their path and their entries. Listings are sorted, so the objects of one follow one another.
function M.extract_partition_pager(client, repo, commit, base_path, columns, page_size)
  local prefix = base_path
  if prefix ~= '' and not strings.has_suffix(prefix, '/') then prefix = prefix .. '/' end
  local pages = internal.lakefs_object_pager(client, repo, commit, '', prefix, '', page_size or 30)
  local page, position, done, given = {}, 0, false, false

  local function next_entry()
    while not done do
      position = position + 1
      local entry = page[position]
      if entry then
        local partition = is_data(entry, prefix) and partition_of(entry.path, prefix, columns) or nil
        if partition then return partition, entry end
      else
        page, position = pages(), 0
        if not page then done = true end
      end
    end
  end

  local partition, entry = next_entry()
  return function()
    if not entry then
      if given then return nil end
      given = true
      return '', {}
    end
    given = true
    local current, entries = partition, {}
    while entry and partition == current do
      entries[#entries + 1] = {
        physical_address = entry.physical_address,
        path = entry.path,
        size = entry.size_bytes,
        checksum = entry.checksum,
      }
      partition, entry = next_entry()
    end
    return current, entries
  end
end

return M
