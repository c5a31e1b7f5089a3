-- Counts a lease as a page that begins. ARGV: now, server of the lease, id, fence, the most pages, and
-- what to do: 'all' on the server that counts pages, for a lease of its own; 'mark' and 'unmark' on the
-- server of the lease, and 'count' on the one that counts. Answer: 'OK', 'LIMIT', 'WAIT' while pages
-- that began may turn out not to be pages, or 'STALE'.
force()
if not exists() then return 'STALE' end
local most, what, l = tonumber(ARGV[5]), ARGV[6], nil
local name = ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[4]
if what ~= 'count' then
  l = held(tonumber(ARGV[3]), tonumber(ARGV[4]))
  if not l then return 'STALE' end
  if what == 'mark' or what == 'unmark' then
    l.page = what == 'mark' and 1 or 0
    keepLease(l)
    return 'OK'
  end
  if l.page == 1 then return 'OK' end
else
  local v = call('HGET', P .. 'bp', name)
  if v then return v == '1' and 'OK' or 'STALE' end
end
local done = tonumber(call('HGET', P .. 't', 'pages') or '0') + count('pd')
if done >= most then return 'LIMIT' end
if done + count('begun') >= most then return 'WAIT' end
if l then
  l.page = 1
  keepLease(l)
else
  call('HSET', P .. 'bp', name, '1')
end
bump('begun', 1)
writeNumbers()
return 'OK'
