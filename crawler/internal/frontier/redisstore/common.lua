-- What most scripts share. KEYS[1] is the prefix of the crawl's keys, ARGV[1] the time in
-- microseconds since 1970, or '' for the server's own clock.
--
-- A full server refuses the first write of a script that would take memory, and only the
-- first. So scripts that add begin with such a write (function begin), and nothing of them is
-- kept; scripts that must go through nevertheless begin with a DEL (function force).
--
-- Each call of the server takes some microseconds, so what a script reads is read once, and
-- what it changes is written once, by function flush at its end.
local P = KEYS[1]
local call, format, floor, band, bor = redis.call, string.format, math.floor, bit.band, bit.bor
local QUEUED, LEASED, SETTLED, ENTERED = 0, 1, 2, 3
local CONTENT, LINKS, LINKED, RENDER = 1, 2, 16, 32
local LEAVES, SECOND, LAST_PAGES = 200, 201, 199

local now
local function clock()
  now = tonumber(ARGV[1])
  if not now then
    local t = call('TIME')
    now = t[1] * 1000000 + t[2]
  end
end

local function force() call('DEL', P .. '-') end

-- many calls a command with the members of a list, some at a time: Lua passes at most some 8000
-- values to a function, and a script that fails half-way has written the half. It returns the
-- last answer.
local function many(command, key, list)
  local answer
  for i = 1, #list, 2000 do answer = call(command, key, unpack(list, i, math.min(i + 1999, #list))) end
  return answer
end

-- num formats an integer. The server formats numbers slowly, and large ones with an exponent.
local function num(n) return format('%d', n) end

-- Counters of the crawl. c has those that were read, set those that were changed.
local C, c, set = P .. 'c', {}, {}
local function read(...)
  local v = call('HMGET', C, ...)
  for i = 1, select('#', ...) do c[select(i, ...)] = v[i] or '' end
end
local function text(name)
  if not c[name] then read(name) end
  return c[name]
end
local function count(name)
  local n = text(name)
  if type(n) ~= 'number' then
    n = tonumber(n) or 0
    c[name] = n
  end
  return n
end
local function put(name, value)
  c[name] = value
  set[name] = true
end
local function bump(name, by)
  local n = count(name) + by
  put(name, n)
  return n
end
-- readUsual reads what the scripts need that enter or settle targets.
local function readUsual()
  read('known', 'settled', 'leased', 'begun', 'hosts', 'log', 'logs', 'L', 'p', 'renders', 'restarted', 'generation', 'sp', 'q0', 'l0', 'e0', 'q200', 'l200', 'e200')
end
local function exists() return call('EXISTS', C) == 1 end

-- begin is the first write of a script that adds, which a full server refuses: the number of
-- the entry in the log that the script ends with.
local numbered = false
local function begin()
  c.log = call('HINCRBY', C, 'log', '1')
  numbered = true
end

-- Targets: 8 bytes each: host, wave, lowest wave, need, flags. The highest bit of need is that
-- of a met RENDER: met has 4 for it.
local BLOCK = 8000 -- the memory for it is hardly larger
local targets, changed = {}, {}
local function target(id)
  local t = targets[id]
  if not t then
    local at = id % BLOCK * 8
    local s = call('GETRANGE', P .. 's:' .. num(floor(id / BLOCK)), num(at), num(at + 7))
    local host, wave, lowest, need, flags = struct.unpack('<I4BBBB', s)
    t = {id = id, host = host, wave = wave, lowest = lowest, need = band(need, 127),
      state = flags % 4, met = floor(flags / 4) % 4 + floor(need / 128) * 4, tries = floor(flags / 16)}
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
    parts[#parts + 1] = struct.pack('<I4BBBB', t.host, t.wave, t.lowest, t.need + floor(t.met / 4) * 128, t.state + 4 * (t.met % 4) + 16 * t.tries)
  end
  write()
  changed = {}
end
-- renders is 1 for a need of a rendered page.
local function renders(need) return band(need, RENDER) / RENDER end
-- metBy returns what a visit for some needs meets.
local function metBy(need) return need % 4 + renders(need) * 4 end
-- jobless reports whether no visit can follow a settled target.
local function jobless(t) return t.met == 7 or t.met == 3 and count('renders') == 0 end

-- Jobs are kept after the fingerprint of their target, and without the host, which most contain: the
-- first byte tells where it was, 0 for nowhere.
local JOBS = 64
local function jobKey(id) return P .. 'j:' .. num(floor(id / JOBS)), id % JOBS end
local function shortJob(job, host)
  local from, to = string.find(job, host, 1, true)
  if not from or from > 255 then return '\0' .. job end
  return string.char(from) .. string.sub(job, 1, from - 1) .. string.sub(job, to + 1)
end
local function longJob(job, host)
  local at = string.byte(job) or 0
  if at == 0 then return string.sub(job, 2) end
  return string.sub(job, 2, at) .. host .. string.sub(job, at + 1)
end

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

-- Hosts. hosts has those that were read.
local hosts, moved = {}, {}
local function host(n)
  local h = hosts[n]
  if not h then
    local key = P .. 'h:' .. num(n)
    local v = call('HMGET', key, 'c', 'i', 'b', 'l', 'v', 'w', 'o', 'n', 'y', 'd', 'm')
    h = {domain = v[10] or '', domainMost = tonumber(v[11]) or 0, n = n, key = key, most = tonumber(v[1]) or 0, interval = tonumber(v[2]) or 0, rest = tonumber(v[3]) or 0,
      leased = tonumber(v[4]) or 0, last = tonumber(v[5]) or 0, waves = v[6] or '', owner = v[7] or '', name = v[8] or '', version = v[9] or '0'}
    hosts[n] = h
  end
  return h
end
local numbers = {}
local function hostNumber(name)
  local n = numbers[name]
  if not n then
    n = tonumber(call('HGET', P .. 'hn', name))
    if not n then
      n = count('hosts')
      call('HSET', P .. 'hn', name, num(n))
      call('HSET', P .. 'h:' .. num(n), 'n', name)
      bump('hosts', 1)
    end
    numbers[name] = n
  end
  return n
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

-- Domains: ds counts the leases of all hosts of each one with a limit. A host that may be visited while
-- its domain may not sleeps: it is in dw and the domain, by the first wave that it has a target of, and in no
-- queue of hosts.
local function isDomainFull(h)
  return h.domain ~= '' and tonumber(call('HGET', P .. 'ds', h.domain) or '0') >= h.domainMost
end
local function sleep(h, wave)
  call('ZREM', P .. 'w:' .. num(wave), num(h.n))
  call('ZADD', P .. 'dw:' .. h.domain, 'LT', num(wave), num(h.n))
end
local function countDomain(domain, by)
  if domain == '' then return end
  local left = call('HINCRBY', P .. 'ds', domain, num(by))
  if left <= 0 then call('HDEL', P .. 'ds', domain) end
  if by > 0 then return end
  if not now then clock() end
  for _ = 1, 1000 do -- one that is ready gets the place; where none is leased, nobody else would wake them
    local woken = call('ZPOPMIN', P .. 'dw:' .. domain)[1]
    if not woken then return end
    local h = host(tonumber(woken))
    move(h)
    if left > 0 and isReady(h, math.max(now, count('fence'))) then return end
  end
end

local function countPage(t, by)
  if t.wave == SECOND and band(t.need, LINKS) > 0 then bump('sp', by) end
end

-- push queues a target in the wave that it names. at is 0 for a target that may be
-- visited at once.
local function push(t, at)
  local q = queueKey(t.host, t.wave)
  if at > 0 then
    call('ZADD', q .. 'd', num(at), num(t.id))
    local h = host(t.host)
    h.queued = (h.queued or '') .. string.char(t.wave)
    move(h)
  else
    local list = append(q .. (t.need % 2 == 1 and 'c' or 'o'), num(t.id))
    list.host, list.wave = t.host, t.wave
  end
  bump('q' .. t.wave, 1)
  bump('e' .. t.wave, 1)
  countPage(t, 1)
end
local function unqueue(t)
  bump('q' .. t.wave, -1)
  countPage(t, -1)
end

-- flush writes what was changed.
local function flush()
  writeTargets()
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
      call('HSET', h.key, 'l', num(h.leased), 'v', num(h.last), 'o', h.owner, 'w', h.waves)
      h.changed = false
    end
  end
  local list = {}
  for name in pairs(set) do
    local value = c[name]
    list[#list + 1] = name
    list[#list + 1] = type(value) == 'number' and num(value) or value
  end
  many('HSET', C, list)
  set = {}
end

-- The outbox has what is meant for other servers of the crawl: a list for each of them, until a
-- relay has entered it there. An entry begins with its wave. o and a wave count the entries, and e
-- counts all targets and entries that were ever queued in the wave.
local function post(to, wave, entry)
  append(P .. 'ob:' .. to, string.char(wave) .. entry)
  bump('o' .. num(wave), 1)
  bump('e' .. num(wave), 1)
end

-- endPage ends the count of a lease as a page that began, with what it adds to the pages that were
-- read. The first server of the crawl counts them: the entry for it begins with an ID of 0 targets.
local function endPage(id, fence, pages)
  if count('shard') == 0 then
    bump('begun', -1)
  else
    post('0', 0, struct.pack('<I4BI4I4dI4', 4294967295, 1, count('shard'), id, fence, pages))
  end
end

-- Leases: fence, worker, number of the claim, and whether it counts as a page that began (1)
-- and parts of the page were entered (2).
local function lease(id)
  local l = call('HGET', P .. 'l', num(id))
  if not l then return nil end
  local fence, claim, flags, size, at = struct.unpack('<dI4BI2', l)
  return {id = id, fence = fence, claim = claim, page = flags % 2, parts = floor(flags / 2), worker = string.sub(l, at, at + size - 1)}
end
local function packLease(l)
  return struct.pack('<dI4BI2', l.fence, l.claim, l.page + 2 * l.parts, #l.worker) .. l.worker
end
local function keepLease(l) call('HSET', P .. 'l', num(l.id), packLease(l)) end
local function held(id, fence)
  local l = lease(id)
  if l and l.fence == fence then return l end
  return nil
end
-- parts returns how many items of a page were entered.
local function parts(l) return l.parts == 1 and tonumber(call('GET', P .. 'f:' .. num(l.id)) or '0') or 0 end

-- drop ends a lease and returns the target, which is in no queue afterwards. pages is what the visit
-- adds to the pages that were read.
local function drop(l, pages)
  local id = num(l.id)
  call('HDEL', P .. 'l', id)
  call('ZREM', P .. 'd', id)
  if l.parts == 1 then call('DEL', P .. 'f:' .. id) end
  if l.page == 1 then endPage(l.id, l.fence, pages or 0) end
  local t = target(l.id)
  bump('l' .. t.wave, -1)
  bump('leased', -1)
  countPage(t, -1)
  local h = host(t.host)
  h.leased, h.changed = h.leased - 1, true
  countDomain(h.domain, -1)
  if h.most > 0 then move(h) end
  return t
end

-- log appends an entry. Its number tells a reader whether entries are missing, and s is the
-- size of all entries up to this one.
local function log(kind, x, y, z)
  if not numbered then bump('log', 1) end
  numbered = false
  call('XADD', P .. 'log', '*', 'n', num(c.log), 's', num(bump('logs', 24 + #x + #y + #z)), 'k', kind, 'a', x, 'b', y, 'c', z)
end

-- renew queues a settled target again if the last visit did not meet its needs.
local function renew(t)
  local missing = t.need % 2 == 1 and t.met % 2 == 0 or band(t.need, 2) > 0 and band(t.met, 2) == 0 or renders(t.need) == 1 and t.met < 4
  if not missing then return false end
  t.state, t.tries, t.wave = QUEUED, 0, t.lowest
  bump('settled', -1)
  push(t, 0)
  return true
end

-- settle settles a target that is in no queue. met are the needs that the visit met.
local function settle(t, met)
  if t.tries > 1 then -- else it has no note and no losses
    call('HDEL', P .. 'n', num(t.id))
    call('HDEL', P .. 'x', num(t.id))
  end
  t.state, t.met = SETTLED, metBy(met)
  bump('settled', 1)
  if not renew(t) and jobless(t) then
    local key, at = jobKey(t.id)
    call('LSET', key, num(at), '')
  end
  keep(t)
end

-- Fingerprints are in hashes of some 64 entries, which are small and compact. Their number
-- grows by one at a time: linear hashing.
local function hash(f)
  local low, high = struct.unpack('<I4I4', f)
  return (high + low * 31) % 4294967296 -- the low end orders tables elsewhere
end
local function bucket(f)
  local h, size = hash(f), 2 ^ count('L')
  local b = h % size
  if b < count('p') then b = h % (size * 2) end
  return P .. 'k:' .. num(b)
end
local function find(f) return tonumber(call('HGET', bucket(f), f)) or 0 end
local function insert(f, id)
  call('HSET', bucket(f), f, num(id))
  local size, at = 2 ^ count('L'), count('p')
  if id > 64 * (size + at) then
    local from, to = P .. 'k:' .. num(at), P .. 'k:' .. num(at + size)
    if at + 1 == size then
      bump('L', 1)
      put('p', '0')
    else
      bump('p', 1)
    end
    local all, moving, names = call('HGETALL', from), {}, {}
    for i = 1, #all, 2 do
      if hash(all[i]) % (size * 2) ~= at then
        names[#names + 1] = all[i]
        moving[#moving + 1] = all[i]
        moving[#moving + 1] = all[i + 1]
      end
    end
    many('HSET', to, moving)
    many('HDEL', from, names)
  end
end

-- itemForm is the form of an item.
local function itemForm(wide) return wide and '<I4c16BBBI2c0I4c0I4c0' or '<I4c8BBBI2c0I4c0I4c0' end

-- checkIDs fails for a payload that names a target by an ID which no target has. It is called
-- before anything is written.
local function checkIDs(items, wide)
  local form, at = itemForm(wide), 1
  while at <= #items do
    local id, f, wave, need, settled, name, job, outcome
    id, f, wave, need, settled, name, job, outcome, at = struct.unpack(form, items, at)
    if id > count('known') then error('target ' .. num(id) .. ' is not known') end
  end
end

-- enter enters the items of a payload, and returns their packed IDs.
local function enter(items, wide)
  local ids, at, n = {}, 1, 0
  local form = itemForm(wide)
  while at <= #items do
    local id, f, wave, need, settled, name, job, outcome
    id, f, wave, need, settled, name, job, outcome, at = struct.unpack(form, items, at)
    if id == 0 then id = find(f) end
    if id == 0 then
      id = bump('known', 1)
      local key = jobKey(id)
      if id == 1 then append(key, '') end -- the list has a place for 0
      append(key, f .. shortJob(job, name))
      insert(f, id)
      local t = {id = id, host = hostNumber(name), wave = wave, lowest = wave, need = need, state = QUEUED, met = 0, tries = 0}
      targets[id] = t
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
      if more ~= t.need then
        if t.wave == SECOND and t.state <= LEASED and band(more, LINKS) > band(t.need, LINKS) then bump('sp', 1) end
        t.need = more
        keep(t)
      end
      if settled == 0 then
        if t.state == ENTERED then
          t.wave, t.lowest, t.state = wave, wave, QUEUED
          bump('settled', -1)
          push(t, 0)
          keep(t)
        else
          if wave < t.lowest then
            t.lowest = wave
            keep(t)
            if t.state == QUEUED then
              unqueue(t)
              t.wave = wave
              push(t, 0)
            end
          end
          if t.state == SETTLED and renew(t) then keep(t) end
        end
      end
    end
    n = n + 1
    ids[n] = struct.pack('<I4', id)
  end
  return table.concat(ids)
end

-- add adds to counts in a hash.
local function add(key, list)
  local names, all = {}, {}
  for name in pairs(list) do names[#names + 1] = name end
  for from = 1, #names, 1000 do
    local v = call('HMGET', key, unpack(names, from, math.min(from + 999, #names)))
    for i = 1, #v do
      local name = names[from + i - 1]
      all[#all + 1] = name
      all[#all + 1] = num((tonumber(v[i]) or 0) + list[name])
    end
  end
  many('HSET', key, all)
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
end

-- leasesOf returns the leases of a worker.
local function leasesOf(worker)
  local list, all = {}, call('HKEYS', P .. 'l')
  for _, id in ipairs(all) do
    local l = lease(tonumber(id))
    if l.worker == worker then list[#list + 1] = l end
  end
  return list
end

-- giveBackAll gives back the leases of a worker, and returns their number.
local function giveBackAll(worker)
  local list = leasesOf(worker)
  for _, l in ipairs(list) do giveBack(l) end
  return #list
end
