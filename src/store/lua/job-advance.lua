-- KEYS[1] jobs
-- ARGV[1] generation  [2] sequence below which nothing is missing
local known = redis.call('HMGET', KEYS[1], 'g', 'w')
if known[1] ~= ARGV[1] or tonumber(known[2]) >= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'w', ARGV[2])
return 1
