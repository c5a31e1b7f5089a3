-- Adds to counts, up to the first that exceeds its limit, and returns them. ARGV: now, then name,
-- how much and limit (negative: none) of each. Beyond 65536 names, new ones are not counted: 0.
local call, key, counts = redis.call, KEYS[1] .. 'tr', {}
local full = call('EXISTS', KEYS[1] .. 'c') == 0 or call('HLEN', key) >= 65536
for i = 2, #ARGV, 3 do
  local n, most = 0, tonumber(ARGV[i + 2])
  if not full or call('HEXISTS', key, ARGV[i]) == 1 then n = call('HINCRBY', key, ARGV[i], ARGV[i + 1]) end
  counts[#counts + 1] = n
  if most >= 0 and n > most then break end
end
return counts
