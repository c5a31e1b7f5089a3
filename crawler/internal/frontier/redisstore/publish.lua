-- Adds or changes a fact that all workers learn. ARGV: now, name, value. Facts are limited
-- to 64 MiB.
force()
local old = call('HGET', P .. 'ff', ARGV[2])
if old == ARGV[3] or not exists() or not old and count('factb') > 67108864 then return 'OK' end
bump('factb', #ARGV[3] + (old and -#old or #ARGV[2]))
call('ZADD', P .. 'fv', num(bump('facts', 1)), ARGV[2])
call('HSET', P .. 'ff', ARGV[2], ARGV[3])
writeNumbers()
return 'OK'
