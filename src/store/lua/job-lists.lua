-- The jobs of one wallet. Every script of the job views starts with these lines.
-- KEYS[1] jm:{wallet}  hash: model id → number
-- KEYS[2] jl:{wallet}  and ':<status>:<model number>': sorted sets, all scores 0, one a status and
--                      model. A member is a job: 26 bytes of its id, which order by time of
--                      creation; 6 bytes of version, big endian; the packed rest.
local ID_BYTES, STATUS_LAST = 26, 6
-- Most jobs are settled: first, so that a page is filled early and the others have little to add.
local STATUSES = { 3, 0, 1, 2, 4, 5, 6 }

local keys = {}
local function list(status, number)
  local theirs = keys[number]
  if not theirs then
    theirs = {}
    for each = 0, STATUS_LAST do theirs[each] = KEYS[2] .. ':' .. each .. ':' .. number end
    keys[number] = theirs
  end
  return theirs[status]
end

-- The member of a job of this model, and its status; nothing where there is none.
local function find(number, id)
  -- All members that begin with an id sort above the id itself and below it with 255 behind.
  local above, below = '(' .. id, '(' .. id .. '\255'
  for _, status in ipairs(STATUSES) do
    local key = list(status, number)
    local member = redis.call('ZRANGEBYLEX', key, above, below, 'LIMIT', 0, 1)[1]
    if member then return member, status end
  end
end
