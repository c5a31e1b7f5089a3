-- Enters items. ARGV: now, items, wide, generation of what the caller knows, the highest ID that an item
-- names, lease to which they belong or 0, its fence, the number of items of that page that were
-- entered before, the number of items of this call, then for each other server with a part of them: its
-- number, the wave, and items.
-- Answer: {packed IDs}, {'STALE'}, {'ABSENT'}, or only the generation if it is another one.
local id, fence, before = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
if not exists() then return {'ABSENT'} end
read('generation', 'renders', 'restarted')
if ARGV[4] ~= text('generation') then return text('generation') end
local l
if id > 0 then
  l = held(id, fence)
  -- A server that was restarted may have lost parts: then the page is read again.
  if not l or parts(l) ~= before then return {'STALE'} end
end
checkIDs(tonumber(ARGV[5]))
begin()
local ids = enter(ARGV[2], 1, #ARGV[2], ARGV[3] == '1')
local all = ARGV[2]
for i = 10, #ARGV, 3 do
  post(ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2])
  all = all .. ARGV[i + 2]
end
if l then
  call('INCRBY', P .. 'f:' .. num(id), ARGV[9])
  if l.parts == 0 then
    l.parts = 1
    keepLease(l)
  end
end
log('A', all, '', '')
flush()
return {ids}
