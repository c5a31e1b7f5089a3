-- Settles a lease. ARGV: now, items, wide, id, fence, met, number of items entered before,
-- result (for the log only), session, worker, tallies…
-- Answer: packed IDs of the items of this call, or 'STALE'.
local id, fence, met, before = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local l = held(id, fence)
if not l then return 'STALE' end
local found = call('GET', P .. 'f:' .. id) or ''
if #found ~= before * 4 then return 'STALE' end
call('SETRANGE', P .. '+', 0, '1') -- refused by a full server
call('DEL', P .. '+')
local ids = enter(ARGV[2], ARGV[3] == '1')
local packed = {}
for i = 1, #ids do packed[i] = struct.pack('<I4', ids[i]) end
packed = table.concat(packed)
local tallies, pages = {}, 0
for i = 11, #ARGV do tallies[#tallies + 1] = ARGV[i] end
for i = 1, #tallies, 2 do
  if tallies[i] == 'pages' then pages = tonumber(tallies[i + 1]) end
end
tally(tallies)
if l.worker ~= '' and pages > 0 then call('HINCRBY', P .. 'w@' .. l.worker, 'pages', pages) end
local t = drop(l)
settle(t, met)
reorder(host(t.host))
log('C', struct.pack('<I4B', id, met) .. found .. packed, ARGV[2], ARGV[8])
return packed
