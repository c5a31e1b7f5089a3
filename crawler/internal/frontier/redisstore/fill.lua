-- Restores targets from a state directory, in order. ARGV: now, records, wide.
clock()
if not exists() then return '0' end
call('SETRANGE', P .. '+', '0', '1') -- refused by a full server
call('DEL', P .. '+')
local form = ARGV[3] == '1' and '<I4c16I2c0BBBBBBdI4c0I4c0' or '<I4c8I2c0BBBBBBdI4c0I4c0'
local at, list = 1, ARGV[2]
while at <= #list do
  local id, f, name, wave, lowest, need, state, met, tries, wait, job, note
  id, f, name, wave, lowest, need, state, met, tries, wait, job, note, at = struct.unpack(form, list, at)
  if id == n.known + 1 then
    local t = {id = id, host = 0, wave = wave, lowest = lowest, need = need, state = state, met = metBy(met), tries = tries}
    targets[id] = t
    local key = jobKey(id)
    if id == 1 then append(key, '') end
    append(key, (state == SETTLED and jobless(t)) and '' or f .. job)
    n.known = id
    insert(bucket(f), f, id)
    t.host = hostNumber(name)
    if state == QUEUED then
      push(t, wait > 0 and now + wait or 0)
      if #note > 0 then
        t.tries = math.max(tries, 1)
        call('HSET', P .. 'n', num(id), note)
      end
    else
      n.settled = n.settled + 1
    end
    keep(t)
  end
end
flush()
return num(n.known)
