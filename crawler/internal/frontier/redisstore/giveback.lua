-- Gives a lease back, if it is held. ARGV: now, id, fence.
force()
local l = held(tonumber(ARGV[2]), tonumber(ARGV[3]))
if l and exists() then
  giveBack(l)
  flush()
end
return 'OK'
