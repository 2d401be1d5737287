-- KEYS[3] p:{wallet}:job   the prompt
-- KEYS[4] i:{wallet}:key   where the request has a join key: '<job id> <body digest>'
-- ARGV[2] job id  [3] credits  [4] prompt  [5] time to live of prompt and join key, ms
-- ARGV[6] body digest  [7] which job of the key may be replaced: 'any', a job id, or ''
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
  add('r', credits)
end
redis.call('SET', KEYS[3], ARGV[4], 'PX', ARGV[5])
if joined then redis.call('SET', joined, job .. ' ' .. ARGV[6], 'PX', ARGV[5]) end
return { 'reserved', whole(remaining()) }
