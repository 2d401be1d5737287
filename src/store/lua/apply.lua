-- ARGV[2] block  [3] log index  [4] deposited | locked | settled | refunded  [5] credits
-- ARGV[6] job id or ''  [7] block time (ms) or ''
-- Logs arrive in order and perhaps twice: the position decides.
local block, index = tonumber(ARGV[2]), tonumber(ARGV[3])
local kind, credits, job = ARGV[4], tonumber(ARGV[5]), ARGV[6]
if not known() then
  -- Nothing to keep, but a reader that is loading an older state must notice.
  redis.call('DEL', wallet, holds)
  redis.call('HSET', wallet, 'b', ARGV[2], 'i', ARGV[3], 'g', generation)
  redis.call('EXPIRE', wallet, 300)
  return 0
end
local seenBlock, seenIndex = field('b'), field('i')
if block < seenBlock or (block == seenBlock and index <= seenIndex) then return 0 end
redis.call('HSET', wallet, 'b', ARGV[2], 'i', ARGV[3])
if kind == 'locked' then
  local held, reserved = hold(job)
  if held == 'r' then add('r', -reserved) end
  redis.call('HSET', holds, job, 'l' .. whole(credits))
  add('a', -credits)
else
  add('a', credits)
  if job ~= '' then redis.call('HDEL', holds, job) end
  if kind == 'deposited' then redis.call('HSET', wallet, 't', ARGV[7]) end
end
return 1
