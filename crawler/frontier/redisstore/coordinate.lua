-- Takes or keeps the role of the coordinator. ARGV: now, process, lease in microseconds,
-- whether to take it. Answer: '' or who has it.
force()
local v = call('HMGET', P .. 'own', 'process', 'seen')
if v[1] and v[1] ~= ARGV[2] and tonumber(v[2] or '0') + tonumber(ARGV[3]) > now then return v[1] end
if v[1] ~= ARGV[2] and ARGV[4] ~= '1' then return v[1] or 'absent' end
call('HSET', P .. 'own', 'process', ARGV[2], 'seen', num(now), 'lease', ARGV[3])
return ''
