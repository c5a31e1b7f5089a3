-- Settles leases. ARGV: now, wide, generation of what the caller knows, the highest ID that an item names,
-- number of tallies, and of each the name and the sum of all pages,
-- then for each lease: its numbers (id, fence, met, number of items entered before), its part of the log
-- (see appendSettled), its tallies, number of parts for other servers, and of each of these parts the number
-- of the server, the wave, and items.
-- Answer: for each lease the packed IDs of the items of this call, or 'STALE'; or only the
-- generation if it is another one.
read('generation', 'renders', 'restarted')
local wide, generation = ARGV[2] == '1', text('generation')
local answer, sums, settled, at, worker = {}, {}, {}, 6, ''
if generation == ARGV[3] then checkIDs(tonumber(ARGV[4])) end
for _ = 1, tonumber(ARGV[5]) do
  sums[ARGV[at]] = tonumber(ARGV[at + 1])
  at = at + 2
end
-- tallied calls fn with the tallies of a page.
local function tallied(list, fn)
  local i = 1
  while i <= #list do
    local name, n
    name, n, i = struct.unpack('<I2c0d', list, i)
    fn(name, n)
  end
end
while at <= #ARGV do
  local id, fence, met, before = struct.unpack('<I4dBI4', ARGV[at])
  local entry, tallies = ARGV[at + 1], ARGV[at + 2]
  local last = at + 3 + 3 * tonumber(ARGV[at + 3])
  local l = generation ~= '' and held(id, fence) -- a crawl that was deleted has no generation
  if not l or parts(l) ~= before then
    answer[#answer + 1] = 'STALE'
    tallied(tallies, function(name, n) sums[name] = sums[name] - n end)
  elseif generation ~= ARGV[3] then
    return generation
  else
    begin()
    local names, own = struct.unpack('<I4I4', entry)
    answer[#answer + 1] = enter(entry, 17 + names, 16 + names + own, wide)
    for i = at + 4, last, 3 do post(ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2]) end
    local read = 0
    if l.page == 1 then
      tallied(tallies, function(name, n) if name == 'pages' then read = read + n end end)
    end
    settle(drop(l, read), met)
    settled[#settled + 1] = entry
    worker = l.worker
  end
  at = last + 1
end
if #settled > 0 then
  log('C', table.concat(settled), '', '')
  add(P .. 't', sums)
  if worker ~= '' and (sums.pages or 0) > 0 then call('HINCRBY', P .. 'w@' .. worker, 'pages', num(sums.pages)) end
end
flush()
return answer
