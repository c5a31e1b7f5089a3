-- Moves the deadlines of leases. ARGV: now, lease in microseconds, worker, session, then id
-- and fence of each lease. Answer: {now, '' or 'replaced' or 'unknown' or 'absent', id…} with the IDs of
-- leases that are not held any more.
force()
local length = tonumber(ARGV[2])
local answer = {num(now), ''}
answer[2] = call('EXISTS', P .. 'c') == 0 and 'absent' or seen(ARGV[3], ARGV[4])
if text('state') == 'deleted' then answer[2] = 'gone' end
for i = 5, #ARGV, 2 do
  local id = tonumber(ARGV[i])
  if held(id, tonumber(ARGV[i + 1])) then
    call('ZADD', P .. 'd', num(now + length), id)
  else
    answer[#answer + 1] = num(id)
  end
end
return answer
