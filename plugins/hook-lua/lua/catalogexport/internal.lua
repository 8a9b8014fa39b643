-- What the exporters share.
local path = require('path')
local url = require('net/url')

local M = {}

-- A copy that shares no table with the original; keeps the mark of arrays.
function M.deepcopy(value)
  if type(value) ~= 'table' then return value end
  local copy = {}
  for k, v in pairs(value) do copy[M.deepcopy(k)] = M.deepcopy(v) end
  return setmetatable(copy, getmetatable(value))
end

-- protocol, bucket and key of a URI such as s3://bucket/some/key
function M.parse_storage_uri(uri)
  local parsed = url.parse(uri)
  local key = parsed.path
  if key:sub(1, 1) == '/' then key = key:sub(2) end
  return { protocol = parsed.scheme, bucket = parsed.host, key = key }
end

-- The first characters of a digest, such as a commit's id.
function M.short_digest(text, length)
  return text:sub(1, length or 6)
end

-- The tag that an event creates, or its branch.
function M.ref_from_branch_or_tag(action)
  if action.event_type == 'pre-create-tag' or action.event_type == 'post-create-tag' then return action.tag_id end
  return action.branch_id
end

-- Iterates over the pages of a listing. `call(offset, page_size)` returns a status and a page.
function M.lakefs_paginiated_api(call, after, page_size)
  local offset, more = after or '', true
  return function()
    if not more then return nil end
    local status, page = call(offset, page_size or 30)
    if status ~= 200 then
      local message = type(page) == 'table' and page.message or page
      error('listing failed: HTTP ' .. tostring(status) .. ' ' .. tostring(message or ''), 2)
    end
    more, offset = page.pagination.has_more, page.pagination.next_offset
    return page.results
  end
end

-- Iterates over pages of objects below a prefix.
function M.lakefs_object_pager(client, repo, ref, after, prefix, delimiter, page_size)
  return M.lakefs_paginiated_api(function(offset, amount)
    return client.list_objects(repo, ref, offset, prefix or '', delimiter or '', amount)
  end, after, page_size)
end

-- Iterates over a table in the order of its keys.
function M.sortedKeys(t, less)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys, less)
  local i = 0
  return function()
    i = i + 1
    if keys[i] ~= nil then return keys[i], t[keys[i]] end
  end
end

-- Where exports of a commit go, below a storage namespace.
function M.get_storage_uri_prefix(storage_ns, commit_id, action)
  local ref = M.ref_from_branch_or_tag(action)
  return path.join('/', storage_ns, '_lakefs', 'exported', ref, M.short_digest(commit_id)) .. '/'
end

return M
