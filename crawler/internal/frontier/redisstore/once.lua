-- Asks for what one process finds out for all. ARGV: now, name, process, length of the lock
-- in microseconds. Answer: {'KNOWN', value}, {'MINE'} or {'BUSY'}.
clock()
force()
if not exists() then return {'MINE'} end
local v = call('HGET', P .. 'o', ARGV[2])
if v then
  local till, at = struct.unpack('<d', v)
  if till > now then return {'KNOWN', string.sub(v, at)} end
  call('HDEL', P .. 'o', ARGV[2])
end
local l = call('HGET', P .. 'ol', ARGV[2])
if l then
  local till, at = struct.unpack('<d', l)
  if till > now and string.sub(l, at) ~= ARGV[3] then return {'BUSY'} end
end
call('HSET', P .. 'ol', ARGV[2], struct.pack('<d', now + tonumber(ARGV[4])) .. ARGV[3])
return {'MINE'}
