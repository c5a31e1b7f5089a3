-- What all scripts share. KEYS[1] is the prefix of the crawl's keys, ARGV[1] the time in
-- microseconds since 1970, or '' for the server's own clock. A "!" before it marks the first
-- call of the script since the server was started.
--
-- A full server refuses the first write of a script that would take memory, and only the
-- first. So scripts that add begin with such a write, and nothing of them is kept; scripts
-- that must go through nevertheless begin with a DEL (function force).
local P = KEYS[1]
local call = redis.call
local now
local first_run = string.sub(ARGV[1], 1, 1) == '!'
if first_run then ARGV[1] = string.sub(ARGV[1], 2) end
if ARGV[1] == '' then
  local t = call('TIME')
  now = t[1] * 1000000 + t[2]
else
  now = tonumber(ARGV[1])
end
local QUEUED, LEASED, SETTLED, ENTERED = 0, 1, 2, 3
local CONTENT, LINKS, LINKED, RENDER = 1, 2, 16, 32
local LEAVES, SECOND, LAST_PAGES = 200, 201, 199

local function force() call('DEL', P .. '-') end

-- num formats a number without an exponent.
local function num(n) return string.format('%.0f', n) end

-- Counters of the crawl. c caches those that were read.
local c = {}
local function count(name)
  local v = c[name]
  if not v then
    v = tonumber(call('HGET', P .. 'c', name) or '0') or 0
    c[name] = v
  end
  return v
end
local function bump(name, by)
  c[name] = call('HINCRBY', P .. 'c', name, by)
  return c[name]
end
local function text(name) return call('HGET', P .. 'c', name) or '' end

-- Targets: 8 bytes each: host, wave, lowest wave, need, flags. The highest bit of need is that
-- of a met RENDER: met has 4 for it.
local function target(id)
  local at = (id % 8192) * 8
  local s = call('GETRANGE', P .. 's:' .. math.floor(id / 8192), at, at + 7)
  local host, wave, lowest, need, flags = struct.unpack('<I4BBBB', s)
  return {id = id, host = host, wave = wave, lowest = lowest, need = need % 128,
    state = flags % 4, met = math.floor(flags / 4) % 4 + math.floor(need / 128) * 4, tries = math.floor(flags / 16)}
end
local function keep(t)
  call('SETRANGE', P .. 's:' .. math.floor(t.id / 8192), (t.id % 8192) * 8,
    struct.pack('<I4BBBB', t.host, t.wave, t.lowest, t.need + math.floor(t.met / 4) * 128, t.state + 4 * (t.met % 4) + 16 * t.tries))
end
local function renders(need) return math.floor(need / RENDER) % 2 end
-- metBy returns what a visit for some needs meets.
local function metBy(need) return need % 4 + renders(need) * 4 end
-- jobless reports whether no visit can follow a settled target.
local function jobless(t) return t.met == 7 or t.met == 3 and count('renders') == 0 end

local function jobKey(id) return P .. 'j:' .. math.floor(id / 32), id % 32 end

-- Hosts. known caches those that were read.
local known = {}
local function host(n)
  local h = known[n]
  if not h then
    local v = call('HMGET', P .. 'h:' .. n, 'c', 'i', 'b', 'l', 'v', 'w')
    h = {n = n, key = P .. 'h:' .. n, most = tonumber(v[1] or 0), interval = tonumber(v[2] or 0),
      rest = tonumber(v[3] or 0), leased = tonumber(v[4] or 0), last = tonumber(v[5] or 0), waves = v[6] or ''}
    known[n] = h
  end
  return h
end
local function hostNumber(name)
  local n = call('HGET', P .. 'hn', name)
  if n then return tonumber(n) end
  n = count('hosts')
  call('HSET', P .. 'hn', name, n)
  call('HSET', P .. 'h:' .. n, 'n', name)
  bump('hosts', 1)
  return n
end

-- noteRestart notes that the server was started. It may have lost its last second, and with it
-- what was visited and reserved then, so it lets each host wait for some intervals.
local function noteRestart()
  if first_run and count('began') > 0 then
    call('HSET', P .. 'c', 'restarted', num(now))
    c['restarted'] = now
  end
end

-- free returns when the interval of a host allows the next request.
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

local function queueKey(h, wave) return P .. 'q:' .. h.n .. ':' .. wave .. ':' end

-- due returns when the first target of a queue is no longer deferred, nil if it is empty.
local function due(h, wave)
  local q = queueKey(h, wave)
  if call('EXISTS', q .. 'c', q .. 'o') > 0 then return 0 end
  local first = call('ZRANGE', q .. 'd', 0, 0, 'WITHSCORES')
  if first[2] then return tonumber(first[2]) end
  return nil
end

-- reorder moves the queues of a host to their places after a change.
local function reorder(h)
  local at, left = nextVisit(h), ''
  for i = 1, #h.waves do
    local wave = string.byte(h.waves, i)
    local first = due(h, wave)
    if first then left = left .. string.char(wave) end
    if at and first then
      call('ZADD', P .. 'w:' .. wave, num(math.max(at, first)), h.n)
    else
      call('ZREM', P .. 'w:' .. wave, h.n)
    end
  end
  if left ~= h.waves then
    h.waves = left
    call('HSET', h.key, 'w', left)
  end
end

local function countPage(t, by)
  if t.wave == SECOND and math.floor(t.need / LINKS) % 2 == 1 then bump('sp', by) end
end

-- push queues a target in the wave that it names. at is 0 for a target that may be
-- visited at once.
local function push(t, at)
  local h = host(t.host)
  local q = queueKey(h, t.wave)
  if at > 0 then
    call('ZADD', q .. 'd', num(at), t.id)
  elseif t.need % 2 == 1 then
    call('RPUSH', q .. 'c', t.id)
  else
    call('RPUSH', q .. 'o', t.id)
  end
  bump('q' .. t.wave, 1)
  countPage(t, 1)
  local wave = string.char(t.wave)
  if not string.find(h.waves, wave, 1, true) then
    h.waves = h.waves .. wave
    call('HSET', h.key, 'w', h.waves)
  end
  reorder(h)
end
local function unqueue(t)
  bump('q' .. t.wave, -1)
  countPage(t, -1)
end

-- Leases: fence, worker, number of the claim, whether it counts as a page that began.
local function lease(id)
  local l = call('HGET', P .. 'l', id)
  if not l then return nil end
  local fence, claim, page, size, at = struct.unpack('<dI4BI2', l)
  return {id = id, fence = fence, claim = claim, page = page, worker = string.sub(l, at, at + size - 1)}
end
local function keepLease(l)
  call('HSET', P .. 'l', l.id, struct.pack('<dI4BI2', l.fence, l.claim, l.page, #l.worker) .. l.worker)
end
local function held(id, fence)
  local l = lease(id)
  if l and l.fence == fence then return l end
  return nil
end

-- drop ends a lease and returns the target, which is in no queue afterwards.
local function drop(l)
  call('HDEL', P .. 'l', l.id)
  call('ZREM', P .. 'd', l.id)
  call('DEL', P .. 'f:' .. l.id)
  if l.page == 1 then bump('begun', -1) end
  call('HINCRBY', P .. 'w@' .. l.worker, 'n', -1)
  local t = target(l.id)
  bump('l' .. t.wave, -1)
  bump('leased', -1)
  countPage(t, -1)
  local h = host(t.host)
  h.leased = call('HINCRBY', h.key, 'l', -1)
  return t
end

-- log appends an entry. Its number tells a reader whether entries are missing.
local function log(kind, ...)
  local n = bump('log', 1)
  local size = 24
  for i = 1, select('#', ...) do size = size + #select(i, ...) end
  call('XADD', P .. 'log', '*', 'n', n, 'k', kind, 'a', select(1, ...) or '', 'b', select(2, ...) or '', 'c', select(3, ...) or '')
  bump('logb', size)
end

-- renew queues a settled target again if the last visit did not meet its needs.
local function renew(t)
  local missing = (t.need % 2 == 1 and t.met % 2 == 0) or (math.floor(t.need / 2) % 2 == 1 and math.floor(t.met / 2) % 2 == 0)
    or (renders(t.need) == 1 and t.met < 4)
  if not missing then return false end
  t.state, t.tries, t.wave = QUEUED, 0, t.lowest
  bump('settled', -1)
  push(t, 0)
  return true
end

-- settle settles a target that is in no queue. met are the needs that the visit met.
local function settle(t, met)
  t.state, t.met = SETTLED, metBy(met)
  bump('settled', 1)
  if not renew(t) and jobless(t) then
    local key, at = jobKey(t.id)
    call('LSET', key, at, '')
  end
  call('HDEL', P .. 'n', t.id)
  call('HDEL', P .. 'x', t.id)
  keep(t)
end

local function bor(a, b)
  local r, bit = 0, 1
  while a > 0 or b > 0 do
    if a % 2 == 1 or b % 2 == 1 then r = r + bit end
    a, b, bit = math.floor(a / 2), math.floor(b / 2), bit * 2
  end
  return r
end

-- Fingerprints are in hashes of some 64 entries, which are small and compact. Their number
-- grows by one at a time: linear hashing.
local function bucketOf(f)
  local h = struct.unpack('<I4', string.sub(f, 5, 8)) -- the low end orders tables elsewhere
  local low = struct.unpack('<I4', f)
  h = (h + low * 31) % 4294967296
  local size = 2 ^ count('L')
  local b = h % size
  if b < count('p') then b = h % (size * 2) end
  return P .. 'k:' .. b, h
end
local function find(f)
  local key = bucketOf(f)
  local id = call('HGET', key, f)
  return id and tonumber(id) or 0
end
local function insert(f, id)
  local key = bucketOf(f)
  call('HSET', key, f, id)
  local size, at = 2 ^ count('L'), count('p')
  if id > 64 * (size + at) then
    local from, to = P .. 'k:' .. at, P .. 'k:' .. (at + size)
    bump('p', 1)
    local all = call('HGETALL', from)
    for i = 1, #all, 2 do
      local _, h = bucketOf(all[i])
      if h % (size * 2) ~= at then
        call('HSET', to, all[i], all[i + 1])
        call('HDEL', from, all[i])
      end
    end
    if at + 1 == size then
      bump('L', 1)
      call('HSET', P .. 'c', 'p', 0)
      c['p'] = 0
    end
  end
end

-- enter enters the items of a payload and returns their IDs.
local function enter(items, wide)
  local ids, at, n = {}, 1, 0
  local format = wide and '<I4c16BBBI2c0I4c0I4c0' or '<I4c8BBBI2c0I4c0I4c0'
  while at <= #items do
    local id, f, wave, need, settled, name, job, outcome
    id, f, wave, need, settled, name, job, outcome, at = struct.unpack(format, items, at)
    if id == 0 then id = find(f) end
    if id == 0 then
      id = count('known') + 1
      -- RPUSH is the first write: a full server refuses it.
      local key, index = jobKey(id)
      if index == 1 and id == 1 then call('RPUSH', key, '') end
      call('RPUSH', key, job)
      bump('known', 1)
      insert(f, id)
      local t = {id = id, host = hostNumber(name), wave = wave, lowest = wave, need = need, state = QUEUED, met = 0, tries = 0}
      if settled == 1 then
        t.state = ENTERED
        bump('settled', 1)
      else
        push(t, 0)
      end
      keep(t)
    else
      local t = target(id)
      local more = bor(t.need, need)
      local changed = more ~= t.need
      if changed then
        local links = math.floor(more / LINKS) % 2 == 1 and math.floor(t.need / LINKS) % 2 == 0
        if t.wave == SECOND and t.state <= LEASED and links then bump('sp', 1) end
        t.need = more
      end
      if settled == 0 then
        if t.state == ENTERED then
          t.wave, t.lowest, t.state = wave, wave, QUEUED
          bump('settled', -1)
          push(t, 0)
          changed = true
        else
          if wave < t.lowest then
            changed = true
            t.lowest = wave
            if t.state == QUEUED then
              unqueue(t)
              t.wave = wave
              push(t, 0)
            end
          end
          if t.state == SETTLED and renew(t) then changed = true end
        end
      end
      if changed then keep(t) end
    end
    n = n + 1
    ids[n] = id
  end
  return ids
end

local function tally(list)
  for i = 1, #list, 2 do call('HINCRBY', P .. 't', list[i], list[i + 1]) end
end

-- seen notes that a worker is alive. It returns '' for a worker of this session, 'unknown'
-- for one that has not joined, and 'replaced' if another process has its name.
local function seen(worker, session)
  if worker == '' then return '' end
  local s = call('HGET', P .. 'w@' .. worker, 's')
  if not s then return 'unknown' end
  if s ~= session then return 'replaced' end
  call('HSET', P .. 'w@' .. worker, 'seen', num(now))
  return ''
end

-- giveBack queues the target of a lease again, as if it had not been granted.
local function giveBack(l)
  local t = drop(l)
  t.state, t.tries = QUEUED, math.max(t.tries - 1, 0)
  push(t, 0)
  keep(t)
  reorder(host(t.host))
end

-- giveBackAll gives back the leases of a worker, and returns their number.
local function giveBackAll(worker)
  local all, n = call('HKEYS', P .. 'l'), 0
  for _, id in ipairs(all) do
    local l = lease(tonumber(id))
    if l.worker == worker then
      giveBack(l)
      n = n + 1
    end
  end
  return n
end
