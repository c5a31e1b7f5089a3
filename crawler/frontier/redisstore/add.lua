-- Enters items. ARGV: now, items, wide, lease to which they belong or 0, its fence, the
-- number of items of that page that were entered before, then for the log only.
-- Answer: packed IDs, or 'STALE'.
local id, fence, before = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
if id > 0 then
  if not held(id, fence) then return 'STALE' end
  -- A server that was restarted may have lost parts: then the page is read again.
  if call('STRLEN', P .. 'f:' .. id) ~= before * 4 then return 'STALE' end
end
call('SETRANGE', P .. '+', 0, '1') -- refused by a full server
call('DEL', P .. '+')
local ids = enter(ARGV[2], ARGV[3] == '1')
local packed = {}
for i = 1, #ids do packed[i] = struct.pack('<I4', ids[i]) end
packed = table.concat(packed)
if id > 0 then call('APPEND', P .. 'f:' .. id, packed) end
log('A', ARGV[2])
return packed
