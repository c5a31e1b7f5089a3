-- Queues a lease again. ARGV: now, id, fence, wave, not before in microseconds from now or
-- '', note, fingerprint, 1 if the lease was no visit, tallies…
-- Answer: 'OK' or 'STALE'.
clock()
force()
local id, wave = tonumber(ARGV[2]), tonumber(ARGV[4])
local l = held(id, tonumber(ARGV[3]))
if not l or not exists() then return 'STALE' end
local at = 0
if ARGV[5] ~= '' then at = math.max(now + tonumber(ARGV[5]), 1) end
local tallies, packed = {}, {}
for i = 9, #ARGV, 2 do
  tallies[ARGV[i]] = (tallies[ARGV[i]] or 0) + tonumber(ARGV[i + 1])
  packed[#packed + 1] = struct.pack('<I2', #ARGV[i]) .. ARGV[i] .. struct.pack('<d', tonumber(ARGV[i + 1]))
end
local t = drop(l)
t.state, t.wave = QUEUED, wave
if ARGV[8] == '1' then t.tries = math.max(t.tries - 1, 0) end
if ARGV[6] == '' then call('HDEL', P .. 'n', ARGV[2]) else call('HSET', P .. 'n', ARGV[2], ARGV[6]) end
add(P .. 't', tallies)
log('R', ARGV[7] .. struct.pack('<BBd', wave, t.tries, at), ARGV[6], table.concat(packed))
push(t, at)
keep(t)
flush()
return 'OK'
