-- Removes the entries of the log up to one. ARGV: now, its ID.
force()
local e = call('XREVRANGE', P .. 'log', ARGV[2], '-', 'COUNT', '1')[1]
if not e or not exists() then return 0 end
for i = 1, #e[2], 2 do
  if e[2][i] == 's' then put('trimmed', e[2][i + 1]) end
end
writeNumbers()
local ms, n = string.match(e[1], '^(%d+)-(%d+)$')
return call('XTRIM', P .. 'log', 'MINID', ms .. '-' .. num(tonumber(n) + 1))
