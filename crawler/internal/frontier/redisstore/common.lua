-- What most scripts share. KEYS[1] is the prefix of the crawl's keys, ARGV[1] the time in
-- microseconds since 1970, or '' for the server's own clock.
--
-- A full server refuses the first write of a script that would take memory, and only the
-- first. So scripts that add begin with such a write (function begin), and nothing of them is
-- kept; scripts that must go through nevertheless begin with a DEL (function force).
--
-- Each call of the server takes some microseconds, so what a script reads is read once, and
-- what it changes is written once, by writeNumbers or flush at its end. A script begins with the parts that
-- it needs, each inside the one before (see scripts): a function that is made takes the longer, the more local
-- variables of the same function others have taken before.
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

-- Settings of the crawl, and counters that seldom change. c has those that were read, set those that were
-- changed.
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
  local x = text(name)
  if type(x) ~= 'number' then
    x = tonumber(x) or 0
    c[name] = x
  end
  return x
end
local function put(name, value)
  c[name] = value
  set[name] = true
end
local function bump(name, by)
  local x = count(name) + by
  put(name, x)
  return x
end
local function exists() return call('EXISTS', C) == 1 end

-- The numbers that most scripts change are in one string: those of n, and then of each wave the
-- numbers of targets that are queued (q) or leased (l), of entries in the outbox (o), and of all that ever were
-- queued there (e). The waves after the pages come first.
local N, HEAD, WAVE = P .. 'N', '<dddddddddd', '<dddd'
local HEAD_SIZE, WAVE_SIZE = 80, 32
local numbers, n, waves = call('GET', N) or string.rep('\0', HEAD_SIZE), {}, {}
n.log, n.known, n.settled, n.leased, n.hosts, n.logs, n.pages, n.fence, n.size, n.split = struct.unpack(HEAD, numbers)
local function waveAt(wave) return HEAD_SIZE + WAVE_SIZE * (wave >= LEAVES and wave - LEAVES or wave + 256 - LEAVES) end
local function waveOf(wave)
  local x = waves[wave]
  if not x then
    local at = waveAt(wave)
    x = {q = 0, l = 0, o = 0, e = 0}
    if #numbers > at then x.q, x.l, x.o, x.e = struct.unpack(WAVE, numbers, at + 1) end
    waves[wave] = x
  end
  return x
end
local function bumpWave(kind, wave, by)
  local x = waveOf(wave)
  x[kind], x.changed = x[kind] + by, true
end
-- writeNumbers writes what was changed.
local function writeNumbers()
  local head = struct.pack(HEAD, n.log, n.known, n.settled, n.leased, n.hosts, n.logs, n.pages, n.fence, n.size, n.split)
  if string.sub(numbers, 1, HEAD_SIZE) ~= head then
    call('SETRANGE', N, '0', head)
    numbers = head .. string.sub(numbers, HEAD_SIZE + 1)
  end
  for wave, x in pairs(waves) do
    if x.changed then
      call('SETRANGE', N, num(waveAt(wave)), struct.pack(WAVE, x.q, x.l, x.o, x.e))
      x.changed = false
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

-- begin is the first write of a script that adds, which a full server refuses: the number of
-- the entry in the log that the script ends with.
local numbered = false
local function begin()
  if numbered then return end
  n.log, numbered = n.log + 1, true
  call('SETRANGE', N, '0', struct.pack('<d', n.log))
end

-- log appends an entry. Its number tells a reader whether entries are missing, and s is the
-- size of all entries up to this one.
local function log(kind, x, y, z)
  if not numbered then n.log = n.log + 1 end
  numbered = false
  n.logs = n.logs + 24 + #x + #y + #z
  call('XADD', P .. 'log', '*', 'n', num(n.log), 's', num(n.logs), 'k', kind, 'a', x, 'b', y, 'c', z)
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
