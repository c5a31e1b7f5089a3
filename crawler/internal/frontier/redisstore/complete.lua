-- Settles leases. ARGV: now, wide, generation of known, then for each lease: id, fence, met,
-- number of items entered before, items, known, result (for the log only), number of tallies, and
-- their names and numbers.
-- Answer: for each lease the packed IDs of the items of this call, or 'STALE'; or only the
-- generation if it is another one.
readUsual()
local wide, generation = ARGV[2] == '1', text('generation')
local answer, sums, pages, at = {}, {}, {}, 4
while at <= #ARGV and generation == ARGV[3] do
  checkIDs(ARGV[at + 4], wide)
  at = at + 8 + 2 * tonumber(ARGV[at + 7])
end
at = 4
while at <= #ARGV do
  local id, met, tallies = tonumber(ARGV[at]), tonumber(ARGV[at + 2]), at + 8
  local l = generation ~= '' and held(id, tonumber(ARGV[at + 1])) -- a crawl that was deleted has no generation
  local earlier = l and found(l)
  at = tallies + 2 * tonumber(ARGV[at + 7])
  if not l or #earlier ~= tonumber(ARGV[tallies - 5]) * 4 then
    answer[#answer + 1] = 'STALE'
  elseif generation ~= ARGV[3] then
    return generation
  else
    begin()
    local ids = enter(ARGV[tallies - 4], wide, ARGV[tallies - 3])
    for i = tallies, at - 1, 2 do
      local name, n = ARGV[i], tonumber(ARGV[i + 1])
      sums[name] = (sums[name] or 0) + n
      if name == 'pages' and l.worker ~= '' then pages[l.worker] = (pages[l.worker] or 0) + n end
    end
    settle(drop(l), met)
    log('C', struct.pack('<I4B', id, met) .. earlier .. ids, ARGV[tallies - 4], ARGV[tallies - 2])
    answer[#answer + 1] = ids
  end
end
add(P .. 't', sums)
for worker, n in pairs(pages) do call('HINCRBY', P .. 'w@' .. worker, 'pages', num(n)) end
flush()
return answer
