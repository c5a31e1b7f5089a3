-- Notes that a worker has received the answer to a claim. ARGV: now, worker, session, number.
local w = KEYS[1] .. 'w@' .. ARGV[2]
redis.call('DEL', KEYS[1] .. '-') -- a full server lets the rest through, too
if redis.call('HGET', w, 's') == ARGV[3] then redis.call('HSET', w, 'ack', ARGV[4]) end
return 'OK'
