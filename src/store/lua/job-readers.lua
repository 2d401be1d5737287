-- KEYS[3] jobs  hash: g generation in which every job was in, w sequence of the journal below which
--               nothing was missing
-- ARGV[1] generation: which life of this Redis the caller speaks to
local isComplete = redis.call('HGET', KEYS[3], 'g') == ARGV[1]
-- {id, number, id, number, …}
local models = redis.call('HGETALL', KEYS[1])

-- A job, its status and its model; nothing where the wallet has no such job.
local function lookUp(id)
  for m = 1, #models, 2 do
    local member, status = find(models[m + 1], id)
    if member then return member, status, models[m] end
  end
end
