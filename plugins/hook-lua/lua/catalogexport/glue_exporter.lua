-- Tables of the Glue catalog over exported symlink files.
local json = require('encoding/json')
local lakefs = require('lakefs')
local path = require('path')
local extractor = require('lakefs/catalogexport/table_extractor')
local internal = require('lakefs/catalogexport/internal')

local M = {}

-- Types that Hive calls by another name.
local hive_types = { integer = 'int' }

local function column_of(field)
  return { Name = field.name, Type = hive_types[field.type] or field.type }
end

-- Columns and partition columns, as Glue wants them.
local function columns_of(descriptor)
  local fields = {}
  for _, field in ipairs(descriptor.schema and descriptor.schema.fields or {}) do fields[field.name] = field end
  local partitions, is_partition = array({}), {}
  for _, name in ipairs(descriptor.partition_columns) do
    if not fields[name] then error('partition column `' .. tostring(name) .. '` is not in the schema of table `' .. descriptor.name .. '`') end
    is_partition[name] = true
    partitions[#partitions + 1] = column_of(fields[name])
  end
  local columns = array({})
  for _, field in ipairs(descriptor.schema and descriptor.schema.fields or {}) do
    if not is_partition[field.name] then columns[#columns + 1] = column_of(field) end
  end
  return columns, partitions
end

function M.get_full_table_name(descriptor, action)
  local ref = internal.ref_from_branch_or_tag(action)
  return table.concat({ descriptor.name, action.repository_id, ref, internal.short_digest(action.commit_id) }, '_')
end

function M.export_glue(glue, db, table_path, create_table_input, action, options)
  options = options or {}
  local repo, commit = action.repository_id, action.commit_id
  local descriptor = extractor.get_table_descriptor(lakefs, repo, commit, table_path)
  if descriptor.type ~= 'hive' then error('table ' .. descriptor.type .. ' in path ' .. table_path .. ' not supported') end

  local base_uri = options.export_base_uri or action.storage_namespace
  local input = internal.deepcopy(create_table_input)
  local columns, partitions = columns_of(descriptor)
  input.Name = options.table_name or M.get_full_table_name(descriptor, action)
  input.PartitionKeys = partitions
  input.TableType = 'EXTERNAL_TABLE'
  input.StorageDescriptor = input.StorageDescriptor or {}
  input.StorageDescriptor.Columns = columns
  input.StorageDescriptor.Location = path.join('/', internal.get_storage_uri_prefix(base_uri, commit, action), descriptor.name)

  if options.create_db_input then
    glue.create_database(db, { error_on_already_exists = false, create_db_input = json.marshal(options.create_db_input) })
  end
  if options.debug then print('registering table ' .. input.Name .. ' in database ' .. db) end
  glue.create_table(db, json.marshal(input))
  return { table_input = input }
end

return M
