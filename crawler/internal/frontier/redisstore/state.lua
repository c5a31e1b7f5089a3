-- Changes the state of the crawl. ARGV: now, what, for 'filled' the number of targets that were
-- entered. Answer: the state before, 'absent', or 'lost' if the server has lost some of them.
force()
if not exists() then return 'absent' end
local state, what = text('state'), ARGV[2]
local to
if what == 'pause' and (state == '' or state == 'draining') then to = 'paused' end
if what == 'resume' and (state == 'paused' or state == 'draining') then to = '' end
if what == 'drain' and (state == '' or state == 'paused') then to = 'draining' end
if what == 'drained' and state == 'draining' and n.leased == 0 then to = 'drained' end
if what == 'done' then to = 'done' end
if what == 'filled' and state == 'filling' then
  if n.known < tonumber(ARGV[3] or '0') then return 'lost' end
  to = ''
end
if what == 'continue' and state == 'drained' then to = '' end
if to then put('state', to) end
writeNumbers()
return state
