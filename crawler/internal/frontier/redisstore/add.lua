-- Enters items. ARGV: now, items, wide, known, generation of known, lease to which they belong
-- or 0, its fence, the number of items of that page that were entered before.
-- Answer: {packed IDs}, {'STALE'}, {'ABSENT'}, or only the generation if it is another one.
local id, fence, before = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
if not exists() then return {'ABSENT'} end
readUsual()
if ARGV[5] ~= text('generation') then return text('generation') end
local l
if id > 0 then
  l = held(id, fence)
  -- A server that was restarted may have lost parts: then the page is read again.
  if not l or #found(l) ~= before * 4 then return {'STALE'} end
end
checkIDs(ARGV[2], ARGV[3] == '1')
begin()
local ids = enter(ARGV[2], ARGV[3] == '1', ARGV[4])
if l then
  call('APPEND', P .. 'f:' .. num(id), ids)
  if l.parts == 0 then
    l.parts = 1
    keepLease(l)
  end
end
log('A', ARGV[2], '', '')
flush()
return {ids}
