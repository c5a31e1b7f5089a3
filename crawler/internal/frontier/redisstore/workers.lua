-- The leases of workers.

-- giveBack queues the target of a lease again, as if it had not been granted.
local function giveBack(l)
  local t = drop(l)
  t.state, t.tries = QUEUED, math.max(t.tries - 1, 0)
  push(t, 0)
  keep(t)
end

-- leasesOf returns the leases of a worker.
local function leasesOf(worker)
  local list, all = {}, call('HKEYS', P .. 'l')
  for _, id in ipairs(all) do
    local l = lease(tonumber(id))
    if l.worker == worker then list[#list + 1] = l end
  end
  return list
end

-- giveBackAll gives back the leases of a worker, and returns their number.
local function giveBackAll(worker)
  local list = leasesOf(worker)
  for _, l in ipairs(list) do giveBack(l) end
  return #list
end
