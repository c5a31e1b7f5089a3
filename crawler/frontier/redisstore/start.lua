-- Reserves the time of a request that is later than its claim. ARGV: now, id, fence. Answer:
-- how long to wait, in microseconds, or 'STALE'.
force()
local id = tonumber(ARGV[2])
if not held(id, tonumber(ARGV[3])) then return 'STALE' end
local h = host(target(id).host)
if h.interval == 0 then return '0' end
local at = now
if tonumber(call('HGET', h.key, 'o') or '0') ~= id then at = math.max(now, h.last + h.interval) end
h.last = at
call('HSET', h.key, 'v', num(at), 'o', id)
reorder(h)
return num(at - now)
