-- Bounds a host. ARGV: now, host, concurrency, interval, not before in microseconds from
-- now or '', expected version of the controller or '' for any, controller.
-- Answer: {'OK', version} or {'OLD', version, controller}.
force()
local name = ARGV[2]
local n = hostNumber(name)
local h = host(n)
local v = call('HMGET', h.key, 'y', 'x')
local version = tonumber(v[1] or '0')
if ARGV[6] ~= '' then
  if tonumber(ARGV[6]) ~= version then return {'OLD', num(version), v[2] or ''} end
  call('HSET', h.key, 'y', version + 1, 'x', ARGV[7])
  version = version + 1
end
local most, interval, rest = tonumber(ARGV[3]), tonumber(ARGV[4]), 0
if ARGV[5] ~= '' then rest = math.max(now + tonumber(ARGV[5]), 0) end
local logs = interval ~= h.interval or rest ~= h.rest
h.most, h.interval, h.rest = most, interval, rest
call('HSET', h.key, 'c', num(most), 'i', num(interval), 'b', num(rest))
reorder(h)
if logs then log('P', name, struct.pack('<ddd', most, interval, rest)) end
return {'OK', num(version)}
