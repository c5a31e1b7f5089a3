-- Reads facts. ARGV: now, version. Answer: {version, name, value, …} of the next ones.
local answer = {ARGV[2]}
local list = call('ZRANGEBYSCORE', P .. 'fv', '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, 500)
for i = 1, #list, 2 do
  answer[1] = list[i + 1]
  answer[#answer + 1] = list[i]
  answer[#answer + 1] = call('HGET', P .. 'ff', list[i]) or ''
end
return answer
