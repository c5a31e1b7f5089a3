-- Counts a lease as a page that begins. ARGV: now, id, fence, the most pages. Answer: 'OK',
-- 'LIMIT', 'WAIT' while pages that began may turn out not to be pages, or 'STALE'.
force()
local l = held(tonumber(ARGV[2]), tonumber(ARGV[3]))
if not l or not exists() then return 'STALE' end
if l.page == 1 then return 'OK' end
local most, done = tonumber(ARGV[4]), tonumber(call('HGET', P .. 't', 'pages') or '0')
if done >= most then return 'LIMIT' end
if done + count('begun') >= most then return 'WAIT' end
l.page = 1
keepLease(l)
bump('begun', 1)
flush()
return 'OK'
