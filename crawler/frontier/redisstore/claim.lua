-- Leases targets. ARGV: now, most, lease in microseconds (0: none), worker, session, number
-- of the claim.
-- Answer: {now, why, ask again in microseconds or -1, facts, leases…}, where why is '' or
-- 'end', 'paused', 'full', 'drained', 'absent', 'replaced', or 'idle' while pages may still
-- be rendered; a lease is {id, fence, host, wave, need,
-- tries, job, note, version of the controller, interval, whether it was settled before}.
local most, length, worker, session, number = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5], tonumber(ARGV[6])
force()
noteRestart()
if call('EXISTS', P .. 'c') == 0 then return {num(now), 'absent', '-1', '0'} end
local who = seen(worker, session)
if who ~= '' then return {num(now), who, '-1', '0'} end
local w = P .. 'w@' .. worker
local facts = num(count('facts'))

local function give(id)
  local t, l = target(id), lease(id)
  local h = host(t.host)
  local key, at = jobKey(id)
  local v = call('HMGET', h.key, 'n', 'y')
  return {num(id), num(l.fence), v[1], num(t.wave), num(t.need), num(math.max(t.tries - 1, 0)), call('LINDEX', key, at) or '',
    call('HGET', P .. 'n', id) or '', v[2] or '0', num(h.interval), t.met > 0 and '1' or '0'}
end

if number > 0 and tonumber(call('HGET', w, 'r') or '0') == number then -- its answer was lost
  local answer = {num(now), '', '-1', facts}
  local ids = call('HGET', w, 'ids') or ''
  for i = 1, #ids, 12 do
    local id, fence = struct.unpack('<I4d', ids, i)
    if held(id, fence) then answer[#answer + 1] = give(id) end
  end
  return answer
end

-- Leases whose deadline has passed.
for _, id in ipairs(call('ZRANGEBYSCORE', P .. 'd', '-inf', num(now), 'LIMIT', 0, 200)) do
  id = tonumber(id)
  local l = lease(id)
  local t = drop(l)
  local losses = 0
  if l.claim > 0 and tonumber(call('HGET', P .. 'w@' .. l.worker, 'ack') or '0') >= l.claim then
    losses = call('HINCRBY', P .. 'x', id, 1)
    bump('losses', 1)
  end
  if losses >= 3 then
    local lost = text('lost')
    call('HINCRBY', P .. 't', 'checked', 1)
    local met = t.need % 4 + renders(t.need) * RENDER
    settle(t, met)
    log('C', struct.pack('<I4B', id, met), '', lost)
  elseif losses == 2 then
    t.state = QUEUED
    bump('q' .. t.wave, 1)
    countPage(t, 1)
    call('RPUSH', P .. 'alone', id)
    keep(t)
  else
    t.state = QUEUED
    push(t, 0)
    keep(t)
  end
  reorder(host(t.host))
end

local function again(at) -- the time to ask again
  local first = call('ZRANGE', P .. 'd', 0, 0, 'WITHSCORES')
  if first[2] and (not at or tonumber(first[2]) < at) then at = tonumber(first[2]) end
  return at and num(math.max(at - now, 0)) or '-1'
end

local state = text('state')
local ends = count('ends')
if ends > 0 and now >= ends and state ~= 'done' and text('stop') == '' then
  call('HSET', P .. 'c', 'stop', 'max-time')
end
if state == 'deleted' then return {num(now), 'gone', '-1', facts} end
if text('stop') ~= '' then return {num(now), 'end', '-1', facts} end
if state == 'filling' then return {num(now), 'absent', '-1', facts} end
if state == 'draining' or state == 'drained' then return {num(now), 'drained', '-1', facts} end
if state == 'done' then return {num(now), 'end', '-1', facts} end

local all = call('HGETALL', P .. 'c')
local waves = {}
for i = 1, #all, 2 do
  local kind, wave = string.match(all[i], '^([ql])(%d+)$')
  if kind then
    wave = tonumber(wave)
    local x = waves[wave] or {wave = wave, q = 0, l = 0}
    x[kind] = tonumber(all[i + 1])
    waves[wave] = x
  end
end
local order = {}
for wave in pairs(waves) do order[#order + 1] = wave end
table.sort(order)
if count('began') == 0 then
  call('HSET', P .. 'c', 'began', num(now))
  c['began'] = now
end

local granted = {}
local function grant(t)
  local h = host(t.host)
  local fence = math.max(count('fence') + 1, now) -- above all that were lost with the last second
  c['fence'] = fence
  call('HSET', P .. 'c', 'fence', num(fence))
  local x = waves[t.wave] or {wave = t.wave, q = 1, l = 0}
  waves[t.wave] = x
  x.q, x.l = x.q - 1, x.l + 1
  bump('q' .. t.wave, -1)
  bump('l' .. t.wave, 1)
  bump('leased', 1)
  h.leased = call('HINCRBY', h.key, 'l', 1)
  h.last = h.interval > 0 and now or fence
  call('HSET', h.key, 'v', num(h.last), 'o', t.id)
  local losses = tonumber(call('HGET', P .. 'x', t.id) or '0')
  t.state = LEASED
  t.tries = math.min(t.tries + 1, 15)
  keep(t)
  keepLease({id = t.id, fence = fence, claim = number, page = 0, worker = worker})
  if length > 0 then call('ZADD', P .. 'd', num(now + length), t.id) end
  call('HINCRBY', w, 'n', 1)
  reorder(h)
  granted[#granted + 1] = {t.id, fence, losses}
end

-- If pages may have to be rendered and another process has a browser, one without leaves all
-- pages to it: whether a page needs a browser is known only when it has been read.
local leavesPages = false
if count('renders') > 0 and worker ~= '' and call('HGET', w, 'browser') ~= '1' then
  for _, name in ipairs(call('SMEMBERS', P .. 'ws')) do
    local v = call('HMGET', P .. 'w@' .. name, 'browser', 'seen')
    if v[1] == '1' and tonumber(v[2] or '0') + math.max(length, 1000000) > now then leavesPages = true end
  end
end
local function isLeft(t) return leavesPages and t.need >= LINKS and (math.floor(t.need / LINKS) % 2 == 1 or renders(t.need) == 1) end

-- takeFirst takes the first target of a wave that may be visited, or returns the time at
-- which one may be.
local function takeFirst(wave)
  while true do
    local first = call('ZRANGE', P .. 'w:' .. wave, 0, 0, 'WITHSCORES')
    if not first[1] then return nil, nil end
    local ready = tonumber(first[2])
    if ready > math.max(now, count('fence')) then return nil, ready end
    local h = host(tonumber(first[1]))
    local q = queueKey(h, wave)
    if h.interval == 0 or free(h) <= math.max(now, count('fence')) then -- else its place is older than a restart
      for _, id in ipairs(call('ZRANGEBYSCORE', q .. 'd', '-inf', num(now), 'LIMIT', 0, 100)) do
        call('ZREM', q .. 'd', id)
        call('RPUSH', q .. 'o', id)
      end
      local id = call('LPOP', q .. 'c') or call('LPOP', q .. 'o')
      if id then
        local t = target(tonumber(id))
        if t.state == QUEUED and t.wave == wave then
          if not isLeft(t) then return t, nil end
          call('RPUSH', q .. 'o', id)
          return nil, now + 100000
        end
      end
    end
    reorder(h)
  end
end

-- take is the order of waves: see package frontier.
local function take()
  local at, pages, outstanding = nil, false, false
  for _, wave in ipairs(order) do
    local x = waves[wave]
    if x.q + x.l > 0 and not (wave <= LAST_PAGES and pages or wave == SECOND and outstanding) then
      outstanding = true
      local t, ready = takeFirst(wave)
      if t then return t end
      if ready and (not at or ready < at) then at = ready end
      if wave <= LAST_PAGES then
        pages = true
        if x.l > 0 then -- further pages may be found, but leaves do not wait for long
          local leaves, till = waves[LEAVES], count('began') + 2000000
          if not leaves or leaves.q == 0 then return nil, at end
          if now < till then
            if not at or till < at then at = till end
            return nil, at
          end
        end
      end
    end
  end
  if not outstanding then return nil, nil, true end
  return nil, at
end

local full = count('lim') > 0 and count('logb') > count('lim')
local own = tonumber(call('HGET', w, 'n') or '0')
local at, over
local left = 0
for _, x in pairs(waves) do left = left + x.q + x.l end
if left == 0 then return {num(now), count('renders') > 0 and 'idle' or 'end', '-1', facts} end
if state == 'paused' or full then
  return {num(now), state == 'paused' and 'paused' or 'full', again(nil), facts}
end
local one = call('LINDEX', P .. 'alone', 0)
if call('HGET', w, 'alone') == '1' then
  if own > 0 then return {num(now), '', again(nil), facts} end
  call('HDEL', w, 'alone')
end
if one and most > 0 then -- it has taken two workers with it: it gets one of its own
  local chosen = text('aw')
  local idle = chosen == '' or now - tonumber(call('HGET', P .. 'w@' .. chosen, 'seen') or '0') > 3 * math.max(length, 1000000)
  if idle or chosen == worker then
    call('HSET', P .. 'c', 'aw', worker)
    if own > 0 then return {num(now), '', again(nil), facts} end
    local t = target(tonumber(one))
    local ready = nextVisit(host(t.host))
    if not ready or ready > now then return {num(now), '', again(ready), facts} end
    call('LPOP', P .. 'alone')
    call('HDEL', P .. 'c', 'aw')
    if t.state == QUEUED then
      call('HSET', w, 'alone', '1')
      grant(t)
    end
    most = 0
  end
end
while #granted < most do
  local t
  t, at, over = take()
  if not t then break end
  grant(t)
end
if #granted == 0 then
  if over then return {num(now), count('renders') > 0 and 'idle' or 'end', '-1', facts} end
  return {num(now), '', again(at), facts}
end
local answer, ids = {num(now), '', '-1', facts}, {}
for i, g in ipairs(granted) do
  answer[#answer + 1] = give(g[1])
  ids[i] = struct.pack('<I4d', g[1], g[2])
end
call('HSET', w, 'r', number, 'ids', table.concat(ids))
return answer
