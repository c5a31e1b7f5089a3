-- Moves the deadlines of leases. ARGV: now, lease in microseconds, worker, session, then id
-- and fence of each lease. Answer: {now, '' or 'replaced' or 'unknown' or 'absent', id…} with the IDs of
-- leases that are not held any more.
-- seen notes that a worker is alive. It returns '' for a worker of this session, 'unknown'
-- for one that has not joined, as far as a server knows that may have lost its last second, and 'replaced'
-- if another process has its name.
local function seen(worker, session)
  if worker == '' then return '' end
  local v = call('HMGET', P .. 'w@' .. worker, 's', 'g')
  if v[1] ~= session then return v[1] and v[2] == text('generation') and 'replaced' or 'unknown' end
  call('HSET', P .. 'w@' .. worker, 'seen', num(now))
  return ''
end

clock()
force()
local till = num(now + tonumber(ARGV[2]))
local answer, deadlines = {num(now), exists() and seen(ARGV[3], ARGV[4]) or 'absent'}, {}
for i = 5, #ARGV, 2 do
  if held(tonumber(ARGV[i]), tonumber(ARGV[i + 1])) then
    deadlines[#deadlines + 1] = till
    deadlines[#deadlines + 1] = ARGV[i]
  else
    answer[#answer + 1] = ARGV[i]
  end
end
if answer[2] ~= 'absent' then many('ZADD', P .. 'd', deadlines) end
return answer
