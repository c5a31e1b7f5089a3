-- Items that are entered.

-- Fingerprints are in hashes of some 64 entries, which are small and compact. Their number
-- grows by one at a time: linear hashing.
local function hash(f)
  local low, high = struct.unpack('<I4I4', f)
  return (high + low * 31) % 4294967296 -- the low end orders tables elsewhere
end
-- The table has 2^n.size hashes, of which the first n.split were divided.
local size = 2 ^ n.size
local function bucket(f)
  local h = hash(f)
  local b = h % size
  if b < n.split then b = h % (size * 2) end
  return P .. 'k:' .. num(b)
end
local function insert(key, f, id)
  call('HSET', key, f, num(id))
  local at = n.split
  if id > 64 * (size + at) then
    local from, to = P .. 'k:' .. num(at), P .. 'k:' .. num(at + size)
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
    if at + 1 == size then
      n.size, n.split, size = n.size + 1, 0, size * 2
    else
      n.split = at + 1
    end
  end
end

-- checkIDs fails if a payload names a target by an ID which no target has: the highest one that it
-- names is given. It is called before anything is written.
local function checkIDs(highest)
  if highest > n.known then error('target ' .. num(highest) .. ' is not known') end
end

-- isCovered reports whether an item changes nothing of a target that is known: most links do not.
local function isCovered(id, wave, need, settled)
  if targets[id] then return false end
  local at = id % BLOCK * 8
  local lowest, has, flags = string.byte(call('GETRANGE', P .. 's:' .. num(floor(id / BLOCK)), num(at + 5), num(at + 7)), 1, 3)
  return lowest and bor(has, need) == has and (settled == 1 or flags % 4 ~= ENTERED and wave >= lowest)
end

-- more lets a target that is known need what an item needs, too.
local function more(t, wave, need, settled)
  local all = bor(t.need, need)
  if all ~= t.need then
    if t.wave == SECOND and t.state <= LEASED and band(all, LINKS) > band(t.need, LINKS) then n.pages = n.pages + 1 end
    t.need = all
    keep(t)
  end
  if settled == 1 then return end
  if t.state == ENTERED then
    t.wave, t.lowest, t.state = wave, wave, QUEUED
    n.settled = n.settled - 1
    push(t, 0)
    keep(t)
    return
  end
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

-- enter enters the items of a payload from one place on up to another, and returns their packed IDs.
local function enter(items, at, last, wide)
  local ids = {}
  local form = wide and '<I4c16BBBI2c0I4c0I4c0' or '<I4c8BBBI2c0I4c0I4c0'
  while at <= last do
    local id, f, wave, need, settled, name, job, outcome, key
    id, f, wave, need, settled, name, job, outcome, at = struct.unpack(form, items, at)
    if id == 0 then
      key = bucket(f)
      id = tonumber(call('HGET', key, f) or 0)
    end
    if id == 0 then
      id = n.known + 1
      n.known = id
      local jobs = jobKey(id)
      if id == 1 then append(jobs, '') end -- the list has a place for 0
      append(jobs, f .. job)
      insert(key, f, id)
      local t = {id = id, host = hostNumber(name), wave = wave, lowest = wave, need = need, state = QUEUED, met = 0, tries = 0}
      targets[id] = t
      if settled == 1 then
        t.state = ENTERED
        n.settled = n.settled + 1
      else
        push(t, 0)
      end
      keep(t)
    elseif not isCovered(id, wave, need, settled) then
      more(target(id), wave, need, settled)
    end
    ids[#ids + 1] = struct.pack('<I4', id)
  end
  return table.concat(ids)
end
