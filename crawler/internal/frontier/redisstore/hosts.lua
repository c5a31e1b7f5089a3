-- Counts the hosts from one number on, at most 1000 of them. ARGV: now, the first number.
-- Answer: {the next number or -1, hosts with something unsettled, those of them that may not
-- be asked now, and with the first ones: age of the oldest lease in microseconds or -1, then
-- the worker of each lease…}.
clock()
local first, last = tonumber(ARGV[2]), n.hosts - 1
local upto, some, waiting = math.min(first + 999, last), 0, 0
for number = first, upto do
  local h = host(number)
  if h.leased > 0 or h.waves ~= '' then
    some = some + 1
    if usedUp(h) or not isReady(h, now) then waiting = waiting + 1 end
  end
end
local answer = {upto < last and num(upto + 1) or '-1', some, waiting, '-1'}
if first == 0 then
  local oldest = -1
  for _, id in ipairs(call('HKEYS', P .. 'l')) do
    local l = lease(tonumber(id))
    oldest = math.max(oldest, now - l.fence)
    answer[#answer + 1] = l.worker
  end
  answer[4] = num(oldest)
end
return answer
