-- Bounds a host. ARGV: now, host, concurrency, interval, not before in microseconds from
-- now or '', then of its shares by domain and by address: the key of a limit or '' to change nothing, and the
-- limit; expected version of the controller or '' for any, controller.
-- Answer: {'OK', version} or {'OLD', version, controller}.
clock()
force()
if not exists() then return {'OK', '0'} end
local name = ARGV[2]
local h = host(hostNumber(name))
local version = tonumber(h.version)
if ARGV[10] ~= '' then
  if tonumber(ARGV[10]) ~= version then
    flush()
    return {'OLD', num(version), call('HGET', h.key, 'x') or ''}
  end
  version = version + 1
  call('HSET', h.key, 'y', num(version), 'x', ARGV[11])
end
local most, interval, rest = tonumber(ARGV[3]), tonumber(ARGV[4]), 0
if ARGV[5] ~= '' then rest = math.max(now + tonumber(ARGV[5]), 0) end
local logs = interval ~= h.interval or rest ~= h.rest
h.most, h.interval, h.rest = most, interval, rest
call('HSET', h.key, 'p', struct.pack('<ddd', most, interval, rest))
-- join lets the host have a share, in place of the one that it had of its kind.
local function join(kind, key, most)
  local at = #h.shares + 1
  for i, share in ipairs(h.shares) do
    if share.kind == kind then at = i end
  end
  local old = h.shares[at]
  if key == '' or old and old.key == key then return end
  h.shares[at] = {kind = kind, most = tonumber(most), key = key}
  local packed = ''
  for _, share in ipairs(h.shares) do packed = packed .. struct.pack('<BdI2', share.kind, share.most, #share.key) .. share.key end
  call('HSET', h.key, 's', packed)
  if h.leased > 0 then
    if old then countShare(old.key, -h.leased) end
    countShare(key, h.leased)
  end
end
join(1, ARGV[6], ARGV[7])
join(2, ARGV[8], ARGV[9])
move(h)
if logs then log('P', name, struct.pack('<ddd', most, interval, rest), '') end
flush()
return {'OK', num(version)}
