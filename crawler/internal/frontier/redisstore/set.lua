-- Changes settings of the crawl. ARGV: now, name, value, …
force()
if exists() then call('HSET', C, unpack(ARGV, 2)) end
return 'OK'
