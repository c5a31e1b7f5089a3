-- Targets, hosts, and their queues.

-- Targets: 8 bytes each: host, wave, lowest wave, need, flags: state, met with 4 for a met RENDER, tries.
local BLOCK = 8000 -- the memory for it is hardly larger
local targets, changed = {}, {}
local function target(id)
  local t = targets[id]
  if not t then
    local at = id % BLOCK * 8
    local s = call('GETRANGE', P .. 's:' .. num(floor(id / BLOCK)), num(at), num(at + 7))
    local host, wave, lowest, need, flags = struct.unpack('<I4BBBB', s)
    t = {id = id, host = host, wave = wave, lowest = lowest, need = need,
      state = flags % 4, met = floor(flags / 4) % 8, tries = floor(flags / 32)}
    targets[id] = t
  end
  return t
end
local function keep(t)
  if not t.changed then
    t.changed = true
    changed[#changed + 1] = t
  end
end
-- writeTargets writes those with consecutive numbers at once.
local function writeTargets()
  local first, last, parts
  local function write()
    if not first then return end
    local key, at = P .. 's:' .. num(floor(first / BLOCK)), first % BLOCK * 8
    if at == 0 or first == 1 then call('SETRANGE', key, num(BLOCK * 8 - 1), '\0') end -- it takes its full length at once
    call('SETRANGE', key, num(at), table.concat(parts))
  end
  for _, t in ipairs(changed) do
    if not first or t.id ~= last + 1 or t.id % BLOCK == 0 then
      write()
      first, parts = t.id, {}
    end
    last, t.changed = t.id, false
    parts[#parts + 1] = struct.pack('<I4BBBB', t.host, t.wave, t.lowest, t.need, t.state + 4 * t.met + 32 * t.tries)
  end
  write()
  changed = {}
end
-- renders is 1 for a need of a rendered page.
local function renders(need) return band(need, RENDER) / RENDER end
-- metBy returns what a visit for some needs meets.
local function metBy(need) return need % 4 + renders(need) * 4 end
-- jobless reports whether no visit can follow a settled target.
local function jobless(t) return t.met == 7 or t.met == 3 and text('renders') ~= '1' end

-- Jobs are kept after the fingerprint of their target, in the form in which processes send them.
local JOBS = 64
local function jobKey(id) return P .. 'j:' .. num(floor(id / JOBS)), id % JOBS end

-- Lists to which is appended.
local lists, ends = {}, {}
local function append(key, value)
  local list = ends[key]
  if not list then
    list = {key = key}
    ends[key], lists[#lists + 1] = list, list
  end
  list[#list + 1] = value
  return list
end

-- Hosts. hosts has those that were read. Their fields are n, the name; y and x, the version of the controller
-- and the controller; p, the pace; z, what changes with each visit; s, the limits that the host has in common with
-- others.
local hosts, moved = {}, {}
local function host(number)
  local h = hosts[number]
  if not h then
    local key = P .. 'h:' .. num(number)
    local v = call('HMGET', key, 'n', 'y', 'p', 'z', 's')
    h = {n = number, key = key, name = v[1] or '', version = v[2] or '0', most = 0, interval = 0, rest = 0, leased = 0, last = 0, deferred = 0, owner = 0, waves = '', shares = {}}
    if v[3] then h.most, h.interval, h.rest = struct.unpack('<ddd', v[3]) end
    if v[4] then
      local at
      h.leased, h.last, h.deferred, h.owner, at = struct.unpack('<dddd', v[4])
      h.waves = string.sub(v[4], at)
    end
    local at = 1
    while v[5] and at <= #v[5] do
      local kind, most, name
      kind, most, name, at = struct.unpack('<BdI2c0', v[5], at)
      h.shares[#h.shares + 1] = {kind = kind, most = most, key = name}
    end
    hosts[number] = h
  end
  return h
end
local byName = {}
local function hostNumber(name)
  local number = byName[name]
  if not number then
    number = tonumber(call('HGET', P .. 'hn', name))
    if not number then
      number = n.hosts
      call('HSET', P .. 'hn', name, num(number))
      call('HSET', P .. 'h:' .. num(number), 'n', name)
      n.hosts = number + 1
    end
    byName[name] = number
  end
  return number
end

-- free returns when the interval of a host allows the next request. A server that was
-- restarted may have lost its last second, and with it what was visited and reserved then, so
-- it lets each host wait for some intervals.
local function free(h)
  if h.interval == 0 then return h.last end
  local restarted = count('restarted')
  if restarted > 0 then restarted = restarted + 2 * h.interval end
  return math.max(h.last, restarted) + h.interval
end

-- nextVisit returns the time of the next visit that the pace of a host allows, nil while
-- as many of its targets are leased as it allows.
local function nextVisit(h)
  if h.most > 0 and h.leased >= h.most then return nil end
  return math.max(free(h), h.rest)
end

local function queueKey(n, wave) return P .. 'q:' .. num(n) .. ':' .. num(wave) .. ':' end

-- due returns when the first target of a queue is no longer deferred, nil if it is empty.
local function due(h, wave)
  local q = queueKey(h.n, wave)
  if call('EXISTS', q .. 'c', q .. 'o') > 0 then return 0 end
  local first = call('ZRANGE', q .. 'd', '0', '0', 'WITHSCORES')
  return tonumber(first[2])
end

-- isReady reports whether a target of a host may be visited at a time, whatever its domain allows.
local function isReady(h, time)
  local at = nextVisit(h)
  if not at or at > time then return false end
  for i = 1, #h.waves do
    local first = due(h, string.byte(h.waves, i))
    if first and first <= time then return true end
  end
  return false
end

-- reorder moves the queues of a host to their places after a change.
local function reorder(h)
  local at, left = nextVisit(h), ''
  for i = 1, #h.waves do
    local wave = string.byte(h.waves, i)
    local first = due(h, wave)
    if first then left = left .. string.char(wave) end
    if at and first then
      call('ZADD', P .. 'w:' .. num(wave), num(math.max(at, first)), num(h.n))
    else
      call('ZREM', P .. 'w:' .. num(wave), num(h.n))
    end
  end
  if left ~= h.waves then
    h.waves = left
    h.changed = true
  end
end
-- move lets a host be reordered at the end.
local function move(h) moved[h.n] = h end

-- Shares: ds counts the leases of all hosts of each one. A host that may be visited while one of its shares
-- is used up sleeps: it is in dw and that share, by the first wave that it has a target of, and in no
-- queue of hosts. Whoever does not use a place that it was woken for wakes the next one.
local function room(share) return share.most - tonumber(call('HGET', P .. 'ds', share.key) or '0') end
local function usedUp(h)
  for _, share in ipairs(h.shares) do
    if room(share) <= 0 then return share end
  end
end
local function fallAsleep(h, wave, share) call('ZADD', P .. 'dw:' .. share.key, 'LT', num(wave), num(h.n)) end
-- wake wakes a host that is ready, if there is a place for it, and returns it. Where nothing is leased, nobody
-- else would wake those that are not ready.
local function wake(key, left)
  if not now then clock() end
  for _ = 1, 1000 do
    local woken = call('ZPOPMIN', P .. 'dw:' .. key)
    if not woken[1] then return end
    local h = host(tonumber(woken[1]))
    local other = usedUp(h)
    if other then
      fallAsleep(h, tonumber(woken[2]), other)
      if other.key == key then return end
    else
      move(h)
      if left > 0 and isReady(h, math.max(now, n.fence)) then return h end
    end
  end
end
-- sleep puts a host to sleep that takeSome has come to.
local function sleep(h, wave, share)
  call('ZREM', P .. 'w:' .. num(wave), num(h.n))
  fallAsleep(h, wave, share)
  for _, other in ipairs(h.shares) do
    local woken = other ~= share and room(other) > 0 and wake(other.key, 1)
    if woken then reorder(woken) end
  end
end
local function countShare(key, by)
  local left = call('HINCRBY', P .. 'ds', key, num(by))
  if left <= 0 then call('HDEL', P .. 'ds', key) end
  for _ = by, -1 do wake(key, left) end
end
local function countShares(h, by)
  for _, share in ipairs(h.shares) do countShare(share.key, by) end
end

local function countPage(t, by)
  if t.wave == SECOND and band(t.need, LINKS) > 0 then n.pages = n.pages + by end
end

-- push queues a target in the wave that it names. at is 0 for a target that may be
-- visited at once.
local function push(t, at)
  local q = queueKey(t.host, t.wave)
  if at > 0 then
    local h = host(t.host)
    h.deferred, h.changed = h.deferred + call('ZADD', q .. 'd', num(at), num(t.id)), true
    h.queued = (h.queued or '') .. string.char(t.wave)
    move(h)
  else
    local list = append(q .. (t.need % 2 == 1 and 'c' or 'o'), num(t.id))
    list.host, list.wave = t.host, t.wave
  end
  bumpWave('q', t.wave, 1)
  bumpWave('e', t.wave, 1)
  countPage(t, 1)
end
local function unqueue(t)
  bumpWave('q', t.wave, -1)
  countPage(t, -1)
end

-- Leases that have ended, by their targets.
local ended = {}
local function writeEnded()
  local ids = {}
  for id in pairs(ended) do ids[#ids + 1] = num(id) end
  many('HDEL', P .. 'l', ids)
  many('ZREM', P .. 'd', ids)
  ended = {}
end

-- flush writes what was changed.
local function flush()
  writeTargets()
  writeEnded()
  for _, list in ipairs(lists) do
    if many('RPUSH', list.key, list) == #list and list.host then -- it was empty
      local h = host(list.host)
      h.queued = (h.queued or '') .. string.char(list.wave)
      move(h)
    end
  end
  lists, ends = {}, {}
  for _, h in pairs(moved) do
    for i = 1, #(h.queued or '') do
      local wave = string.sub(h.queued, i, i)
      if not string.find(h.waves, wave, 1, true) then
        h.waves = h.waves .. wave
        h.changed = true
      end
    end
    h.queued = nil
    reorder(h)
  end
  moved = {}
  for _, h in pairs(hosts) do
    if h.changed then
      call('HSET', h.key, 'z', struct.pack('<dddd', h.leased, h.last, h.deferred, h.owner) .. h.waves)
      h.changed = false
    end
  end
  writeNumbers()
end
