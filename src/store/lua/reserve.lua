-- KEYS[3] p:{wallet}:job  the prompt
-- ARGV[2] job id  [3] credits  [4] prompt  [5] its time to live, ms
-- returns {'reserved' | 'insufficient' | 'unknown', remaining}
if not known() then return { 'unknown', '0' } end
local job, credits = ARGV[2], tonumber(ARGV[3])
if not hold(job) then
  if remaining() < credits then return { 'insufficient', whole(remaining()) } end
  redis.call('HSET', holds, job, 'r' .. whole(credits))
  add('r', credits)
end
redis.call('SET', KEYS[3], ARGV[4], 'PX', ARGV[5])
return { 'reserved', whole(remaining()) }
