-- Hands entries of the outbox to a relay, after it has removed those that the relay has entered. ARGV:
-- now, number of the other server, number of the first entry that stays, the generation in which that
-- was so, name of the relay, how many entries at most. Answer: {generation, number of the first entry,
-- entries…}. While one relay is at work, others get none. A server that has lost its last second
-- gives numbers again, but has another generation.
clock()
force()
if not exists() then return {'', '0'} end
local to, stays, who, most = ARGV[2], tonumber(ARGV[3]), ARGV[5], tonumber(ARGV[6])
local list, box = P .. 'ob:' .. to, P .. 'or:' .. to
local v = call('HMGET', box, 'first', 'who', 'till')
local first = tonumber(v[1] or '1')
if stays > first and ARGV[4] == text('generation') then
  for _, entry in ipairs(call('LRANGE', list, '0', num(stays - first - 1))) do bumpWave('o', string.byte(entry), -1) end
  call('LTRIM', list, num(stays - first), '-1')
  first = stays
  call('HSET', box, 'first', num(first))
end
local answer = {text('generation'), num(first)}
if (v[2] or who) == who or tonumber(v[3] or '0') <= now then
  for _, entry in ipairs(call('LRANGE', list, '0', num(most - 1))) do answer[#answer + 1] = entry end
  if #answer > 2 then
    call('HSET', box, 'first', num(first), 'who', who, 'till', num(now + 5000000))
  elseif v[2] then
    call('HDEL', box, 'who', 'till')
  end
end
writeNumbers()
return answer
