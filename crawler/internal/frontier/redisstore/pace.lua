-- Bounds a host. ARGV: now, host, concurrency, interval, not before in microseconds from
-- now or '', expected version of the controller or '' for any, controller.
-- Answer: {'OK', version} or {'OLD', version, controller}.
clock()
force()
if not exists() then return {'OK', '0'} end
local name = ARGV[2]
local h = host(hostNumber(name))
local version = tonumber(h.version)
if ARGV[6] ~= '' then
  if tonumber(ARGV[6]) ~= version then
    flush()
    return {'OLD', num(version), call('HGET', h.key, 'x') or ''}
  end
  version = version + 1
  call('HSET', h.key, 'y', num(version), 'x', ARGV[7])
end
local most, interval, rest = tonumber(ARGV[3]), tonumber(ARGV[4]), 0
if ARGV[5] ~= '' then rest = math.max(now + tonumber(ARGV[5]), 0) end
local logs = interval ~= h.interval or rest ~= h.rest
h.most, h.interval, h.rest = most, interval, rest
call('HSET', h.key, 'c', num(most), 'i', num(interval), 'b', num(rest))
move(h)
if logs then log('P', name, struct.pack('<ddd', most, interval, rest), '') end
flush()
return {'OK', num(version)}
