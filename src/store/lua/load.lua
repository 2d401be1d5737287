-- ARGV[2] available  [3] locked  [4] last top-up or ''  [5] block after which this is the chain's state
-- returns 'loaded' | 'stale' (a log of a later block has been seen: read the chain again)
if known() then return 'loaded' end
local sameLife = redis.call('HGET', wallet, 'g') == generation
if sameLife and field('b') > tonumber(ARGV[5]) then return 'stale' end
redis.call('DEL', wallet, holds)
-- The block's own logs are in what was read, so the position is its very end.
redis.call('HSET', wallet, 'a', ARGV[2], 'k', ARGV[3], 'r', '0', 'g', generation)
redis.call('HSET', wallet, 'b', ARGV[5], 'i', '1000000000')
if ARGV[4] ~= '' then redis.call('HSET', wallet, 't', ARGV[4]) end
return 'loaded'
