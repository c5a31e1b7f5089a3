-- Lets a worker leave. ARGV: now, worker, session. Answer: the number of leases given back.
force()
local w = P .. 'w@' .. ARGV[2]
if call('HGET', w, 's') ~= ARGV[3] or not exists() then return 0 end
local n = giveBackAll(ARGV[2])
call('DEL', w)
call('SREM', P .. 'ws', ARGV[2])
flush()
return n
