-- Adds to sums. ARGV: now, name, number, …
local sums = {}
for i = 2, #ARGV, 2 do sums[ARGV[i]] = (sums[ARGV[i]] or 0) + tonumber(ARGV[i + 1]) end
if exists() then add(P .. 't', sums) end
return 'OK'
