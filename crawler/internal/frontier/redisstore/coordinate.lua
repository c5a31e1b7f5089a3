-- Takes or keeps the role of the coordinator. ARGV: now, process, lease in microseconds, 1 to
-- take it even if there is no crawl. Answer: '' or who has it. A server that was restarted may have lost who
-- took the role last: then it is of who keeps it.
clock()
force()
if ARGV[4] ~= '1' and not exists() then return '' end
local v = call('HMGET', P .. 'own', 'process', 'seen', 'g')
if v[1] and v[1] ~= ARGV[2] and tonumber(v[2] or '0') + tonumber(ARGV[3]) > now and (ARGV[4] == '1' or v[3] == text('generation')) then
  return v[1]
end
call('HSET', P .. 'own', 'process', ARGV[2], 'seen', num(now), 'lease', ARGV[3], 'g', text('generation'))
return ''
