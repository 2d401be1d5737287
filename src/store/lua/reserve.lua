-- KEYS[3] i:{wallet}:key   where the request has a join key: '<job id> <body digest>'
-- ARGV[2] job id  [3] credits
-- ARGV[4] body digest  [5] which job of the key may be replaced: 'any', a job id, or ''
-- ARGV[6] time to live of the join key, ms
-- returns {'reserved' | 'unknown', remaining}, {'insufficient', remaining, on its way back}, or
--         {'taken', '<job id> <body digest>'}
if not known() then return { 'unknown', '0' } end
local job, credits, joined = ARGV[2], tonumber(ARGV[3]), KEYS[3]
if joined and ARGV[5] ~= 'any' then
  local found = redis.call('GET', joined)
  local other = found and string.match(found, '^%S+')
  if other and other ~= job and other ~= ARGV[5] then return { 'taken', found } end
end
if not hold(job) then
  if remaining() < credits then
    return { 'insufficient', whole(remaining()), whole((returning())) }
  end
  redis.call('HSET', holds, job, 'r' .. whole(credits))
  add('r', credits)
end
if joined then redis.call('SET', joined, job .. ' ' .. ARGV[4], 'PX', ARGV[6]) end
return { 'reserved', whole(remaining()) }
