-- Table descriptors: YAML files that say what a table of the repository looks like.
local path = require('path')
local strings = require('strings')
local yaml = require('encoding/yaml')
local internal = require('lakefs/catalogexport/internal')

local M = {}
local descriptors = { '_lakefs_tables/', '_srv_tables/' }

-- All descriptors of a ref: { path, physical_address } each.
function M.list_table_descriptor_entries(client, repo, ref)
  local entries = {}
  for _, folder in ipairs(descriptors) do
    for page in internal.lakefs_object_pager(client, repo, ref, '', folder, '') do
      for _, entry in ipairs(page) do
        local below = entry.path:sub(#folder + 1)
        if not path.is_hidden(below) and strings.has_suffix(entry.path, '.yaml') then
          entries[#entries + 1] = { physical_address = entry.physical_address, path = entry.path }
        end
      end
    end
  end
  return entries
end

-- A descriptor with what it leaves out filled in.
function M.get_table_descriptor(client, repo, ref, logical_path)
  local status, content = client.get_object(repo, ref, logical_path)
  if status ~= 200 then
    error('could not fetch data file: HTTP ' .. tostring(status) .. ' path: ' .. tostring(logical_path))
  end
  local descriptor = yaml.unmarshal(content)
  if type(descriptor) ~= 'table' then error('table descriptor ' .. logical_path .. ' is not a YAML map') end
  descriptor.partition_columns = descriptor.partition_columns or array({})
  if not descriptor.name or not descriptor.type or not descriptor.path then
    error('table descriptor ' .. logical_path .. ' must have name, type and path')
  end
  return descriptor
end

return M
