-- Leases targets. ARGV: now, most, lease in microseconds (0: none), worker, session, number
-- of the claim, the first wave that other servers of the crawl may still have something of, and 1 if
-- one of them has pages that are leased or may be visited now.
-- Answer: {now, why, ask again in microseconds or -1, facts, what is outstanding, leases…}, where why is
-- '' or 'end' when nothing is left here, 'over' after the end of the crawl, 'paused', 'full', 'drained',
-- 'absent', 'replaced', or 'idle' while pages may
-- still be rendered or other servers may have something; what is outstanding has
-- whether this server has such pages, and for each wave the number of targets that are queued, leased or in the outbox, and the number that ever were;
-- a lease is {numbers, fingerprint and job, host, note}, where the numbers are: id, fence, wave, need, tries,
-- whether it was settled before, version of the controller, interval.
local most, length, worker, session, number, upto, busy = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8] == '1'
clock()
force()
local w = P .. 'w@' .. worker
local function heard(...)
  if worker ~= '' then call('HSET', w, 'seen', num(now), ...) end
end
local order = {} -- waves, once they are read
local function outstanding()
  local list = {'\0'}
  for _, wave in ipairs(order) do
    local x = waveOf(wave)
    if wave <= LAST_PAGES and (x.l > 0 or x.o > 0 or x.q > 0 and wave > upto) then list[1] = '\1' end
    list[#list + 1] = struct.pack('<BI4d', wave, x.q + x.l + x.o, x.e)
  end
  return table.concat(list)
end
local function nothing(why, again)
  heard()
  flush()
  return {num(now), why, again or '-1', num(count('facts')), outstanding()}
end

read('generation', 'state', 'stop', 'facts', 'holds', 'renders', 'restarted', 'began', 'ends', 'lim', 'trimmed')
if c.generation == '' then return {num(now), 'absent', '-1', '0', ''} end

local own = {}
if worker ~= '' then
  local v = call('HMGET', w, 's', 'r', 'ids', 'alone', 'browser', 'g')
  own = {session = v[1], number = tonumber(v[2]), ids = v[3] or '', alone = v[4] == '1', browser = v[5] == '1'}
  if own.session ~= session then -- a server that was restarted may have lost the session that joined last
    return {num(now), own.session and v[6] == c.generation and 'replaced' or 'unknown', '-1', '0', ''}
  end
end

local function give(t, fence, note)
  local h, key, at = host(t.host), jobKey(t.id)
  return {struct.pack('<I4dBBBBdd', t.id, fence, t.wave, t.need, math.max(t.tries - 1, 0), t.met > 0 and 1 or 0, tonumber(h.version), h.interval),
    call('LINDEX', key, num(at)) or '', h.name, note or ''}
end

if number > 0 and own.number == number then -- its answer was lost
  local answer = {num(now), '', '-1', num(count('facts')), ''}
  for i = 1, #own.ids, 12 do
    local id, fence = struct.unpack('<I4d', own.ids, i)
    if held(id, fence) then answer[#answer + 1] = give(target(id), fence, call('HGET', P .. 'n', num(id))) end
  end
  heard()
  return answer
end

-- Leases whose deadline has passed.
for _, key in ipairs(call('ZRANGEBYSCORE', P .. 'd', '-inf', num(now), 'LIMIT', '0', '200')) do
  local id = tonumber(key)
  local l = lease(id)
  local t = drop(l)
  local losses = 0
  if l.claim > 0 and tonumber(call('HGET', P .. 'w@' .. l.worker, 'ack') or '0') >= l.claim then
    losses = call('HINCRBY', P .. 'x', key, '1')
    bump('losses', 1)
  end
  if losses >= 3 then
    add(P .. 't', {checked = 1})
    local met, key, at = t.need % 4 + renders(t.need) * RENDER, jobKey(id)
    local size, lost = text('wide') == '1' and 16 or 8, text('lost')
    local name = string.sub(call('LINDEX', key, num(at)), 1, size) .. string.char(met)
    settle(t, met)
    log('C', struct.pack('<I4I4I4I4', #name, 0, 0, #lost) .. name .. lost, '', '')
  else
    t.state = QUEUED
    if losses == 2 then
      bumpWave('q', t.wave, 1)
      countPage(t, 1)
      call('RPUSH', P .. 'alone', key)
    else
      push(t, 0)
    end
    keep(t)
  end
  move(host(t.host))
end
flush()

local function again(at) -- the time to ask again
  local first = tonumber(call('ZRANGE', P .. 'd', '0', '0', 'WITHSCORES')[2])
  if first and (not at or first < at) then at = first end
  return at and num(math.max(at - now, 0)) or '-1'
end

local state = text('state')
if count('ends') > 0 and now >= count('ends') and state ~= 'done' and text('stop') == '' then put('stop', 'max-time') end
local left = 0
for at = HEAD_SIZE, #numbers - 1, WAVE_SIZE do
  local wave = ((at - HEAD_SIZE) / WAVE_SIZE + LEAVES) % 256
  local x = waveOf(wave)
  if x.e > 0 then
    order[#order + 1] = wave
    left = left + x.q + x.l + x.o
  end
end
table.sort(order)
if text('stop') ~= '' then return nothing('over') end
if state == 'filling' then return nothing('absent') end
if state == 'draining' or state == 'drained' then return nothing('drained') end
if state == 'done' then return nothing('over') end
if count('began') == 0 then put('began', now) end
if left == 0 then return nothing((count('renders') > 0 or text('holds') == '1') and 'idle' or 'end') end
if state == 'paused' then return nothing('paused', again(nil)) end
if count('lim') > 0 and n.logs - count('trimmed') > count('lim') then return nothing('full', again(nil)) end

local answer, ids, leases, deadlines = {num(now), '', '-1', num(count('facts')), ''}, {}, {}, {}
local function grant(t)
  local h = host(t.host)
  local fence = math.max(n.fence + 1, now) -- above all that were lost with the last second
  n.fence, n.leased = fence, n.leased + 1
  bumpWave('q', t.wave, -1)
  bumpWave('l', t.wave, 1)
  h.leased, h.last, h.owner, h.changed = h.leased + 1, h.interval > 0 and now or fence, t.id, true
  local note = t.tries > 0 and call('HGET', P .. 'n', num(t.id))
  t.state, t.tries = LEASED, math.min(t.tries + 1, 7)
  keep(t)
  leases[#leases + 1] = num(t.id)
  leases[#leases + 1] = packLease({fence = fence, claim = number, page = 0, parts = 0, worker = worker})
  deadlines[#deadlines + 1] = num(now + length)
  deadlines[#deadlines + 1] = num(t.id)
  answer[#answer + 1] = give(t, fence, note)
  ids[#ids + 1] = struct.pack('<I4d', t.id, fence)
end

-- If pages may have to be rendered and another process has a browser, one without leaves all
-- pages to it: whether a page needs a browser is known only when it has been read.
local leavesPages = false
if count('renders') > 0 and worker ~= '' and not own.browser then
  for _, name in ipairs(call('SMEMBERS', P .. 'ws')) do
    local v = call('HMGET', P .. 'w@' .. name, 'browser', 'seen')
    if v[1] == '1' and tonumber(v[2] or '0') + math.max(length, 1000000) > now then leavesPages = true end
  end
end
local function isLeft(t) return leavesPages and t.need >= LINKS and (band(t.need, LINKS) > 0 or renders(t.need) == 1) end

-- roomOf returns how many targets of a host may be leased now.
local function roomOf(h, most)
  if h.interval > 0 then return 1 end
  if h.most > 0 then most = math.min(most, h.most - h.leased) end
  for _, share in ipairs(h.shares) do most = math.min(most, room(share)) end
  return most
end

-- pop takes up to so many targets from the queues of a host. Those that were deferred and are due come last.
local function pop(h, wave, number)
  local q = queueKey(h.n, wave)
  if h.deferred > 0 then
    local due = call('ZRANGEBYSCORE', q .. 'd', '-inf', num(now), 'LIMIT', '0', '100')
    if #due > 0 then
      h.deferred, h.changed = h.deferred - many('ZREM', q .. 'd', due), true
      many('RPUSH', q .. 'o', due)
    end
  end
  local ids = call('LPOP', q .. 'c', num(number)) or {}
  if #ids < number then
    for _, id in ipairs(call('LPOP', q .. 'o', num(number - #ids)) or {}) do ids[#ids + 1] = id end
  end
  return ids
end

-- takeSome grants up to so many targets of the first host of a wave that may be visited, and returns their
-- number. If there is none, it also returns the time at which one may be. The hosts that are ready share
-- what is granted.
local spread = {}
local function takeSome(wave, number)
  local key = P .. 'w:' .. num(wave)
  while true do
    local first = call('ZRANGE', key, '0', '0', 'WITHSCORES')
    if not first[1] then return 0, nil end
    local ready, limit = tonumber(first[2]), math.max(now, n.fence)
    if ready > limit then return 0, ready end
    local h = host(tonumber(first[1]))
    local full = usedUp(h)
    if full then
      sleep(h, wave, full)
    else
      local got, left = 0, {}
      if h.interval == 0 or free(h) <= limit then -- else its place is older than a restart
        if number > 1 and not spread[wave] then spread[wave] = math.max(1, floor(most / call('ZCOUNT', key, '-inf', num(limit)))) end
        for _, id in ipairs(pop(h, wave, roomOf(h, math.min(number, spread[wave] or 1)))) do
          local t = target(tonumber(id))
          if t.state == QUEUED and t.wave == wave then
            if isLeft(t) then
              left[#left + 1] = id
            else
              grant(t)
              got = got + 1
            end
          end
        end
        many('RPUSH', queueKey(h.n, wave) .. 'o', left)
        if got > 0 then countShares(h, got) end
      end
      reorder(h)
      if got > 0 then return got end
      if #left > 0 then return 0, now + 100000 end
    end
  end
end

-- take is the order of waves: see package frontier. For what is on its way to another server, or was
-- there when the caller asked last, a wave waits as for what is leased here.
local function take(number)
  local at, pages, some, waits, till = nil, false, false, busy, count('began') + 2000000
  for _, wave in ipairs(order) do
    local x = waveOf(wave)
    if wave <= LAST_PAGES and wave > upto and x.q > 0 then waits = true end
    if wave == LEAVES and waits and now < till then
      if x.q > 0 and (not at or till < at) then at = till end
      return 0, at
    end
    if x.q + x.l > 0 and not (wave <= LAST_PAGES and (pages or wave > upto) or wave == SECOND and (some or upto < SECOND)) then
      some = true
      local got, ready = takeSome(wave, number)
      if got > 0 then return got end
      if ready and (not at or ready < at) then at = ready end
      if wave <= LAST_PAGES then
        pages = true
        if x.l > 0 then -- further pages may be found, but leaves do not wait for long
          if waveOf(LEAVES).q == 0 then return 0, at end
          if now < till then
            if not at or till < at then at = till end
            return 0, at
          end
        end
      end
    end
  end
  return 0, at
end

local one = call('LINDEX', P .. 'alone', '0')
if own.alone then -- what it holds must be visited alone
  if #leasesOf(worker) > 0 then return nothing('', again(nil)) end
  call('HDEL', w, 'alone')
end
if one and most > 0 then -- it has taken two workers with it: it gets one of its own
  local chosen = text('aw')
  local idle = chosen == '' or now - tonumber(call('HGET', P .. 'w@' .. chosen, 'seen') or '0') > 3 * math.max(length, 1000000)
  if idle or chosen == worker then
    put('aw', worker)
    if #leasesOf(worker) > 0 then return nothing('', again(nil)) end
    local t = target(tonumber(one))
    local h = host(t.host)
    local ready = nextVisit(h)
    if not ready or ready > now or usedUp(h) then return nothing('', again(ready and math.max(ready, now + 100000))) end
    call('LPOP', P .. 'alone')
    put('aw', '')
    if t.state == QUEUED then
      call('HSET', w, 'alone', '1')
      grant(t)
      countShares(h, 1)
      reorder(h)
    end
    most = 0
  end
end
local at
while #ids < most do
  local got
  got, at = take(most - #ids)
  if got == 0 then break end
end
if #ids == 0 then return nothing('', again(at)) end
many('HSET', P .. 'l', leases)
if length > 0 then many('ZADD', P .. 'd', deadlines) end
heard('r', num(number), 'ids', table.concat(ids))
answer[5] = outstanding()
flush()
return answer
