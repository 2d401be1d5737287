-- ARGV[2] block  [3] log index
-- ARGV[4] deposited | withdrawn | thawing_started | thawing_cancelled | locked | settled | refunded |
--         dispute_resolved  [5] credits
-- ARGV[6] job id or ''  [7] block time (ms) or ''  [8] charged, of a settlement; else 0
-- Logs arrive in order and perhaps twice: the position decides.
-- returns {'1' applied now | '0' before, remaining, owned} or {} for an unknown wallet
local block, index = tonumber(ARGV[2]), tonumber(ARGV[3])
local kind, credits, job, charged = ARGV[4], tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[8])
if not known() then
  -- Nothing to keep, but a reader that is loading an older state must notice: also of a log that came
  -- after this one, where logs are applied again.
  local sameLife = redis.call('HGET', wallet, 'g') == generation
  local seen = sameLife and field('b') or -1
  if seen > block or (seen == block and field('i') > index) then return {} end
  redis.call('DEL', wallet, holds)
  redis.call('HSET', wallet, 'b', ARGV[2], 'i', ARGV[3], 'g', generation)
  redis.call('EXPIRE', wallet, 300)
  return {}
end
-- Read once and written once: this runs for each log of every job.
local now = redis.call('HMGET', wallet, 'a', 'k', 'r', 'b', 'i')
local available, locked, reserved = tonumber(now[1]), tonumber(now[2]), tonumber(now[3])
local seenBlock, seenIndex = tonumber(now[4]), tonumber(now[5])
local function standing(applied)
  return { applied, whole(available - reserved), whole(available + locked) }
end
if block < seenBlock or (block == seenBlock and index <= seenIndex) then return standing('0') end
-- What is set aside under this name is no longer: it has become a lock, or left.
local function taken(name)
  local kept, amount = hold(name)
  if kept == 'r' then reserved = reserved - amount end
end
if kind == 'locked' then
  taken(job)
  redis.call('HSET', holds, job, 'l' .. whole(credits))
  available, locked = available - credits, locked + credits
elseif kind == 'withdrawn' or kind == 'thawing_started' then
  available = available - credits
  -- A withdrawal uses the nonce of the voucher, whatever it took. One that was on chain when the
  -- nonce was read is older than the voucher, though its log comes only now.
  local after = kind == 'withdrawn' and redis.call('HGET', holds, WITHDRAWAL_AFTER)
  if after and block > tonumber(after) then
    taken(WITHDRAWAL)
    redis.call('HDEL', holds, WITHDRAWAL, WITHDRAWAL_AFTER)
  end
else
  available = available + credits
  if kind == 'settled' or kind == 'refunded' then locked = locked - credits - charged end
  if job ~= '' then redis.call('HDEL', holds, job) end
  if kind == 'deposited' then redis.call('HSET', wallet, 't', ARGV[7]) end
end
redis.call('HSET', wallet, 'a', whole(available), 'k', whole(locked), 'r', whole(reserved),
  'b', ARGV[2], 'i', ARGV[3])
return standing('1')
