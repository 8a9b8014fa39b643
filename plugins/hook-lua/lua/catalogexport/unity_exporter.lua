-- External tables of the Unity catalog over exported Delta tables.
local lakefs = require('lakefs')
local path = require('path')
local strings = require('strings')
local extractor = require('lakefs/catalogexport/table_extractor')
local internal = require('lakefs/catalogexport/internal')

local M = {}

function M.register_tables(action, descriptors_path, table_details, databricks_client, warehouse)
  local statuses = {}
  local schema_of = {}
  for name, details in internal.sortedKeys(table_details) do
    local file = name
    if not strings.has_suffix(file, '.yaml') then file = file .. '.yaml' end
    local descriptor_path = path.join('/', descriptors_path, file)
    local descriptor = extractor.get_table_descriptor(lakefs, action.repository_id, action.commit_id, descriptor_path)
    if descriptor.type ~= 'delta' then
      error('unity exporter supports only table descriptors of type `delta`, not `' .. tostring(descriptor.type) .. '`: ' .. descriptor_path)
    end
    local catalog = descriptor.catalog
    if not catalog or catalog == '' then error('table descriptor ' .. descriptor_path .. ' must have a catalog') end
    schema_of[catalog] = schema_of[catalog] or databricks_client.create_schema(action.branch_id, catalog, true)
    statuses[name] = databricks_client.register_external_table(
      descriptor.name, details.path, warehouse, catalog, schema_of[catalog], details.metadata or {})
  end
  return statuses
end

return M
