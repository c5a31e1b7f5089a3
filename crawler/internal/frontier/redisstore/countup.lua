-- Makes calls that add to counts, each up to the first count that exceeds its limit, and returns the counts of
-- each. ARGV: now, then of each call the number of its counts, and of each of these name, how much and limit
-- (negative: none). Beyond 65536 names, new ones are not counted: 0.
local call, key, answer = redis.call, KEYS[1] .. 'tr', {}
local full, i = call('EXISTS', KEYS[1] .. 'c') == 0 or call('HLEN', key) >= 65536, 2
while i <= #ARGV do
  local counts, last = {}, i + 3 * tonumber(ARGV[i])
  for at = i + 1, last, 3 do
    local n, most = 0, tonumber(ARGV[at + 2])
    if not full or call('HEXISTS', key, ARGV[at]) == 1 then n = call('HINCRBY', key, ARGV[at], ARGV[at + 1]) end
    counts[#counts + 1] = n
    if most >= 0 and n > most then break end
  end
  answer[#answer + 1] = counts
  i = last + 1
end
return answer
