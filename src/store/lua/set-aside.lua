-- KEYS[3] v:{wallet}  the latest voucher: i request id, c credits, t to, n nonce, d deadline (s)
-- KEYS[4] vouchers    sorted set of '<wallet> <request id>': what is set aside, by deadline. In one step with it:
--                     nobody would end one that is not in it.
-- ARGV[2] request id  [3] credits  [4] to  [5] the wallet's next nonce on chain  [6] deadline (s)
-- ARGV[7] block after which that was the nonce  [8] its time (s)  [9] entry of 'vouchers'
-- returns {'set_aside', request id, credits, to, nonce, deadline} | {'open', deadline}
--         | {'insufficient', remaining} | {'stale'} | {'used'} | {'unknown'}
local KEPT_SECONDS = 86400
local latest = redis.call('HMGET', KEYS[3], 'i', 'c', 't', 'n', 'd')
if latest[1] == ARGV[2] then
  return { 'set_aside', latest[1], latest[2], latest[3], latest[4], latest[5] }
end
if not known() then return { 'unknown' } end
-- A withdrawal after the block that was read may have used the nonce.
if field('b') > tonumber(ARGV[7]) then return { 'stale' } end
if latest[1] then
  local unused = latest[4] == ARGV[5]
  if unused and tonumber(latest[5]) >= tonumber(ARGV[8]) then return { 'open', latest[5] } end
  -- Used: its log is on the way, and takes from the balance when it ends what is set aside.
  if not unused and hold(WITHDRAWAL) then return { 'used' } end
end
-- Also of a voucher that is not kept any more.
endAside()
local credits = tonumber(ARGV[3])
if remaining() < credits then return { 'insufficient', whole(remaining()) } end
redis.call('HSET', holds, WITHDRAWAL, 'r' .. whole(credits), WITHDRAWAL_AFTER, ARGV[7])
add('r', credits)
redis.call('HSET', KEYS[3], 'i', ARGV[2], 'c', ARGV[3], 't', ARGV[4], 'n', ARGV[5], 'd', ARGV[6])
redis.call('EXPIRE', KEYS[3], KEPT_SECONDS)
redis.call('ZADD', KEYS[4], ARGV[6], ARGV[9])
return { 'set_aside', ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6] }
