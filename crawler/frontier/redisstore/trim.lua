-- Removes the entries of the log up to one. ARGV: now, its ID, the number of the entry.
force()
local list = call('XRANGE', P .. 'log', '-', ARGV[2], 'COUNT', 2000)
local bytes = 0
for _, e in ipairs(list) do
  local size, f = 24, e[2]
  for i = 5, #f, 2 do size = size + #f[i + 1] end
  bytes = bytes + size
  call('XDEL', P .. 'log', e[1])
end
bump('logb', -bytes)
return #list
