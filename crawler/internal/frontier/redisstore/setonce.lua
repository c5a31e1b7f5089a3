-- Keeps what once.lua asks for, or only ends the lock. ARGV: now, name, value, how long it is
-- valid in microseconds, 0 for not at all.
clock()
force()
if not exists() then return 'OK' end
call('HDEL', P .. 'ol', ARGV[2])
local length = tonumber(ARGV[4])
if length > 0 then call('HSET', P .. 'o', ARGV[2], struct.pack('<d', now + length) .. ARGV[3]) end
return 'OK'
