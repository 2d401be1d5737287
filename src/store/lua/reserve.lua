-- KEYS[3] open             sorted set of '<job id> <wallet>': what is reserved, by when. In one step with the
--                          reservation: nobody would find one that is not in it.
-- KEYS[4] i:{wallet}:key   where the request has a join key: '<job id> <body digest>'
-- ARGV[2] job id  [3] credits  [4] when, ms  [5] entry of 'open'
-- ARGV[6] body digest  [7] which job of the key may be replaced: 'any', a job id, or ''
-- ARGV[8] time to live of the join key, ms
-- returns {'reserved' | 'unknown', remaining}, {'insufficient', remaining, on its way back}, or
--         {'taken', '<job id> <body digest>'}
if not known() then return { 'unknown', '0' } end
local job, credits, joined = ARGV[2], tonumber(ARGV[3]), KEYS[4]
if joined and ARGV[7] ~= 'any' then
  local found = redis.call('GET', joined)
  local other = found and string.match(found, '^%S+')
  if other and other ~= job and other ~= ARGV[7] then return { 'taken', found } end
end
if not hold(job) then
  if remaining() < credits then
    return { 'insufficient', whole(remaining()), whole((returning())) }
  end
  redis.call('HSET', holds, job, 'r' .. whole(credits))
  redis.call('ZADD', KEYS[3], ARGV[4], ARGV[5])
  add('r', credits)
end
if joined then redis.call('SET', joined, job .. ' ' .. ARGV[6], 'PX', ARGV[8]) end
return { 'reserved', whole(remaining()) }
