-- Notes that a worker has received the answer to a claim. ARGV: now, worker, session, number.
force()
if seen(ARGV[2], ARGV[3]) == '' then call('HSET', P .. 'w@' .. ARGV[2], 'ack', ARGV[4]) end
return 'OK'
