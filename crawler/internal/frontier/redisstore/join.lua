-- Lets a worker join. ARGV: now, worker, session, version, 1 if it has a browser. A worker of the same name loses its
-- leases. Answer: what the crawl is: '', 'absent', 'filling', 'done', 'draining', …
clock()
force()
if not exists() then return 'absent' end
local state = text('state')
if state == 'filling' then return state end
local w = P .. 'w@' .. ARGV[2]
if call('HGET', w, 's') ~= ARGV[3] then
  giveBackAll(ARGV[2])
  call('DEL', w)
  call('HSET', w, 's', ARGV[3], 'pages', '0')
end
call('HSET', w, 'version', ARGV[4], 'seen', num(now), 'browser', ARGV[5], 'g', text('generation'))
call('SADD', P .. 'ws', ARGV[2])
flush()
return state
