-- Takes or keeps the role of the coordinator. ARGV: now, process, lease in microseconds, 1 to
-- take it even if there is no crawl. Answer: '' or who has it.
clock()
force()
if ARGV[4] ~= '1' and not exists() then return '' end
local v = call('HMGET', P .. 'own', 'process', 'seen')
if v[1] and v[1] ~= ARGV[2] and tonumber(v[2] or '0') + tonumber(ARGV[3]) > now then return v[1] end
call('HSET', P .. 'own', 'process', ARGV[2], 'seen', num(now), 'lease', ARGV[3])
return ''
