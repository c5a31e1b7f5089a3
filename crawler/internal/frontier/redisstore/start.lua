-- Reserves the time of a request that is later than its claim, or of a further request of the
-- same visit. ARGV: now, id, fence, 1 for a further request. Answer: how long to wait, in
-- microseconds, or 'STALE'.
clock()
force()
local id = tonumber(ARGV[2])
if not held(id, tonumber(ARGV[3])) or not exists() then return 'STALE' end
local h = host(target(id).host)
if h.interval == 0 then return '0' end
-- If the last time that was reserved is the one of this visit, its answer may have been lost.
local own = ARGV[4] ~= '1' and h.owner == id
local at = math.max(now, own and h.last > count('restarted') and h.last or free(h))
h.last, h.owner, h.changed = at, id, true
move(h)
flush()
return num(at - now)
