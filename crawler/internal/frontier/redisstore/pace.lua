-- Bounds a host. ARGV: now, host, concurrency, interval, not before in microseconds from
-- now or '', domain with a limit or '', the limit, expected version of the controller or '' for any,
-- controller.
-- Answer: {'OK', version} or {'OLD', version, controller}.
clock()
force()
if not exists() then return {'OK', '0'} end
local name = ARGV[2]
local h = host(hostNumber(name))
local version = tonumber(h.version)
if ARGV[8] ~= '' then
  if tonumber(ARGV[8]) ~= version then
    flush()
    return {'OLD', num(version), call('HGET', h.key, 'x') or ''}
  end
  version = version + 1
  call('HSET', h.key, 'y', num(version), 'x', ARGV[9])
end
local most, interval, rest = tonumber(ARGV[3]), tonumber(ARGV[4]), 0
if ARGV[5] ~= '' then rest = math.max(now + tonumber(ARGV[5]), 0) end
local logs = interval ~= h.interval or rest ~= h.rest
h.most, h.interval, h.rest = most, interval, rest
call('HSET', h.key, 'c', num(most), 'i', num(interval), 'b', num(rest))
local domain, domainMost = ARGV[6], tonumber(ARGV[7])
if domain ~= '' and (domain ~= h.domain or domainMost ~= h.domainMost) then
  if domain ~= h.domain and h.leased > 0 then
    countDomain(h.domain, -h.leased)
    countDomain(domain, h.leased)
  end
  h.domain, h.domainMost = domain, domainMost
  call('HSET', h.key, 'd', domain, 'm', num(domainMost))
end
move(h)
if logs then log('P', name, struct.pack('<ddd', most, interval, rest), '') end
flush()
return {'OK', num(version)}
