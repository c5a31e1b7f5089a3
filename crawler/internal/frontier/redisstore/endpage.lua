-- Ends the count of a lease of another server as a page that began. ARGV: now, server of the lease, id,
-- fence, what it adds to the pages that were read.
force()
if not exists() then return 'OK' end
local name = ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[4]
if call('HGET', P .. 'bp', name) == '1' then
  call('HDEL', P .. 'bp', name)
  bump('begun', -1)
  bump('pd', tonumber(ARGV[5]))
else
  call('HSET', P .. 'bp', name, '0') -- a worker that is late must not begin it any more
end
writeNumbers()
return 'OK'
