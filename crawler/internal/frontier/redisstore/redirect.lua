-- Enters a redirect and finds out whether it closes a cycle. ARGV: now, from, to, the most
-- steps. Answer: 1 if it does.
if not exists() then return 0 end
local from, to = ARGV[2], ARGV[3]
call('HSET', P .. 'r', from, to)
for _ = 1, tonumber(ARGV[4]) do
  if to == from then return 1 end
  to = call('HGET', P .. 'r', to)
  if not to then return 0 end
end
return 0
