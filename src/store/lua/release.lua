-- KEYS[3] open             as in reserve.lua
-- KEYS[4] i:{wallet}:key   where the job has a join key, which goes as well while it is this job's
-- ARGV[2] job id  [3] entry of 'open'. Only a reservation is given back here; a lock returns by the chain's
--         own log.
local kind, credits = hold(ARGV[2])
if known() and kind == 'r' then
  redis.call('HDEL', holds, ARGV[2])
  add('r', -credits)
end
if KEYS[4] then
  local found = redis.call('GET', KEYS[4])
  if found and string.match(found, '^%S+') == ARGV[2] then redis.call('DEL', KEYS[4]) end
end
redis.call('ZREM', KEYS[3], ARGV[3])
return 1
