-- KEYS[1] jobs  KEYS[2] jobs:rebuilding  hash: token → generation in which the rebuild began
-- ARGV[1] generation  [2] token  [3] sequence below which nothing is missing
-- returns 1 | 0: memory was lost since the rebuild began
if redis.call('HGET', KEYS[2], ARGV[2]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[1], 'g', ARGV[1], 'w', ARGV[3])
return 1
