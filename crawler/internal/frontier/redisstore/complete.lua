-- Settles leases. ARGV: now, wide, generation of what the caller knows, then for each lease: id,
-- fence, met, number of items entered before, items, what the log has of the visit (the names, and the
-- result), number of parts for other servers, and of tallies; then of each part the number of the
-- server, the wave, and items, and of each tally the name and the number.
-- Answer: for each lease the packed IDs of the items of this call, or 'STALE'; or only the
-- generation if it is another one.
readUsual()
local wide, generation = ARGV[2] == '1', text('generation')
local answer, sums, pages, at = {}, {}, {}, 4
while at <= #ARGV and generation == ARGV[3] do
  checkIDs(ARGV[at + 4], wide)
  at = at + 9 + 3 * tonumber(ARGV[at + 7]) + 2 * tonumber(ARGV[at + 8])
end
at = 4
while at <= #ARGV do
  local first, id = at, tonumber(ARGV[at])
  local posts = at + 9
  local tallies = posts + 3 * tonumber(ARGV[at + 7])
  at = tallies + 2 * tonumber(ARGV[at + 8])
  local l = generation ~= '' and held(id, tonumber(ARGV[first + 1])) -- a crawl that was deleted has no generation
  if not l or parts(l) ~= tonumber(ARGV[first + 3]) then
    answer[#answer + 1] = 'STALE'
  elseif generation ~= ARGV[3] then
    return generation
  else
    begin()
    local ids, items, read = enter(ARGV[first + 4], wide), ARGV[first + 4], 0
    for i = posts, tallies - 1, 3 do
      post(ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2])
      items = items .. ARGV[i + 2]
    end
    for i = tallies, at - 1, 2 do
      local name, n = ARGV[i], tonumber(ARGV[i + 1])
      sums[name] = (sums[name] or 0) + n
      if name == 'pages' then
        read = read + n
        if l.worker ~= '' then pages[l.worker] = (pages[l.worker] or 0) + n end
      end
    end
    settle(drop(l, read), tonumber(ARGV[first + 2]))
    log('C', ARGV[first + 5], items, ARGV[first + 6])
    answer[#answer + 1] = ids
  end
end
add(P .. 't', sums)
for worker, n in pairs(pages) do call('HINCRBY', P .. 'w@' .. worker, 'pages', num(n)) end
flush()
return answer
