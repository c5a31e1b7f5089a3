-- The first call after the server was started notes that: it may have lost its last second.
-- ARGV: now, 1 for the first call. The text of this script has the name of the crawl, so that
-- the server forgets it, and knows it again, for each crawl by itself.
if ARGV[2] ~= '1' or redis.call('EXISTS', KEYS[1] .. 'c') == 0 then return 'OK' end
local now = ARGV[1]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%d', t[1] * 1000000 + t[2])
end
redis.call('DEL', KEYS[1] .. '-') -- a full server lets the rest through, too
redis.call('HSET', KEYS[1] .. 'c', 'generation', now, 'restarted', now)
return 'OK'
