-- Leases, and what ends them.

-- The outbox has what is meant for other servers of the crawl: a list for each of them, until a
-- relay has entered it there. An entry begins with its wave. o and a wave count the entries, and e
-- counts all targets and entries that were ever queued in the wave.
local function post(to, wave, entry)
  append(P .. 'ob:' .. to, string.char(wave) .. entry)
  bumpWave('o', wave, 1)
  bumpWave('e', wave, 1)
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
  local l = not ended[id] and call('HGET', P .. 'l', num(id))
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
  ended[l.id] = true
  if l.parts == 1 then call('DEL', P .. 'f:' .. num(l.id)) end
  if l.page == 1 then endPage(l.id, l.fence, pages or 0) end
  local t = target(l.id)
  bumpWave('l', t.wave, -1)
  n.leased = n.leased - 1
  countPage(t, -1)
  local h = host(t.host)
  if h.most > 0 and h.leased >= h.most then move(h) end -- it was in no queue of hosts
  h.leased, h.changed = h.leased - 1, true
  countShares(h, -1)
  return t
end

-- renew queues a settled target again if the last visit did not meet its needs.
local function renew(t)
  local missing = t.need % 2 == 1 and t.met % 2 == 0 or band(t.need, 2) > 0 and band(t.met, 2) == 0 or renders(t.need) == 1 and t.met < 4
  if not missing then return false end
  t.state, t.tries, t.wave = QUEUED, 0, t.lowest
  n.settled = n.settled - 1
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
  n.settled = n.settled + 1
  if not renew(t) and jobless(t) then
    local key, at = jobKey(t.id)
    call('LSET', key, num(at), '')
  end
  keep(t)
end
