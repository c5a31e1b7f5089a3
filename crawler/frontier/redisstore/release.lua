-- Queues a lease again. ARGV: now, id, fence, wave, not before in microseconds from now or
-- '', note, tallies…
-- Answer: 'OK' or 'STALE'.
force()
local id, fence, wave = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local l = held(id, fence)
if not l then return 'STALE' end
local at = 0
if ARGV[5] ~= '' then at = math.max(now + tonumber(ARGV[5]), 1) end
local tallies = {}
for i = 7, #ARGV do tallies[#tallies + 1] = ARGV[i] end
local t = drop(l)
t.state = QUEUED
t.wave = wave
if ARGV[6] == '' then call('HDEL', P .. 'n', id) else call('HSET', P .. 'n', id, ARGV[6]) end
tally(tallies)
local packed = {}
for i = 1, #tallies, 2 do packed[#packed + 1] = struct.pack('<I2', #tallies[i]) .. tallies[i] .. struct.pack('<d', tonumber(tallies[i + 1])) end
log('R', struct.pack('<I4BBd', id, wave, t.tries, at), ARGV[6], table.concat(packed))
push(t, at)
keep(t)
reorder(host(t.host))
return 'OK'
