-- ARGV[2] available  [3] last top-up or ''  [4] block after which this is the chain's state
-- returns 'loaded' | 'stale' (a log of a later block has been seen: read the chain again)
if known() then return 'loaded' end
local sameLife = redis.call('HGET', wallet, 'g') == generation
if sameLife and field('b') > tonumber(ARGV[4]) then return 'stale' end
redis.call('DEL', wallet, holds)
-- The block's own logs are in what was read, so the position is its very end.
redis.call('HSET', wallet, 'a', ARGV[2], 'r', '0', 'b', ARGV[4], 'i', '1000000000', 'g', generation)
if ARGV[3] ~= '' then redis.call('HSET', wallet, 't', ARGV[3]) end
return 'loaded'
