-- Adds to a count and returns it. ARGV: now, the name, how much. Beyond 65536 names, new ones are not
-- counted: 0.
force()
if call('HEXISTS', P .. 'tr', ARGV[2]) == 0 and call('HLEN', P .. 'tr') >= 65536 then return 0 end
return call('HINCRBY', P .. 'tr', ARGV[2], ARGV[3])
