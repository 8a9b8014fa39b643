-- Symlink files: for each partition of a Hive table, the addresses of its objects.
local path = require('path')
local lakefs = require('lakefs')
local strings = require('strings')
local extractor = require('lakefs/catalogexport/table_extractor')
local hive = require('lakefs/catalogexport/hive')
local internal = require('lakefs/catalogexport/internal')

local M = {}

function M.export_s3(s3_client, table_path, action, options)
  options = options or {}
  local repo, commit = action.repository_id, action.commit_id
  local base_uri = options.export_base_uri or action.storage_namespace
  local location = internal.parse_storage_uri(internal.get_storage_uri_prefix(base_uri, commit, action))
  local descriptor = extractor.get_table_descriptor(lakefs, repo, commit, table_path)
  if descriptor.type ~= 'hive' then error('table ' .. descriptor.type .. ' in path ' .. table_path .. ' not supported') end

  local base_path = descriptor.path
  if base_path ~= '' and not strings.has_suffix(base_path, '/') then base_path = base_path .. '/' end
  local write = options.writer or s3_client.put_object
  for partition, entries in hive.extract_partition_pager(lakefs, repo, commit, base_path, descriptor.partition_columns) do
    local lines = {}
    for _, entry in ipairs(entries) do lines[#lines + 1] = entry.physical_address .. '\n' end
    local below = partition
    if not options.skip_trim_obj_base_path and strings.has_prefix(below, base_path) then below = below:sub(#base_path + 1) end
    local key = path.join('/', location.key, descriptor.name, below, 'symlink.txt')
    if options.debug then print('writing symlink file s3://' .. location.bucket .. '/' .. key) end
    write(location.bucket, key, table.concat(lines))
  end
  return { location = location }
end

return M
