-- ARGV[2] onwards, seven for each log of the wallet:
--   block, log index
--   deposited | withdrawn | thawing_started | thawing_cancelled | locked | settled | refunded |
--   dispute_resolved, credits
--   job id or '', block time (ms) or '', charged, of a settlement; else 0
-- Logs arrive in order and perhaps twice: the position decides.
-- returns for each log {'1' applied now | '0' before, remaining, owned}, or {} for an unknown wallet
local EACH = 7
if not known() then
  -- Nothing to keep, but a reader that is loading an older state must notice: also of a log of a later
  -- block, where logs are applied again.
  local block = ARGV[#ARGV - EACH + 1]
  local sameLife = redis.call('HGET', wallet, 'g') == generation
  if sameLife and field('b') > tonumber(block) then return {} end
  -- What an earlier life knew goes first: with a generation it would be known again.
  redis.call('DEL', wallet, holds)
  redis.call('HSET', wallet, 'b', block, 'g', generation)
  redis.call('EXPIRE', wallet, 300)
  return {}
end
-- Read once and written once: this runs for the logs of every job.
local now = redis.call('HMGET', wallet, 'a', 'k', 'r', 'b', 'i')
local available, locked, reserved = tonumber(now[1]), tonumber(now[2]), tonumber(now[3])
local seenBlock, seenIndex = tonumber(now[4]), tonumber(now[5])
-- What is set aside under this name is no longer: it has become a lock, or left.
local function taken(name)
  local kept, amount = hold(name)
  if kept == 'r' then reserved = reserved - amount end
end
local function apply(block, kind, credits, job, time, charged)
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
    if job ~= '' then
      -- Where a reorg moved its lock into a block that had been read already, it is reserved still.
      taken(job)
      redis.call('HDEL', holds, job)
    end
    if kind == 'deposited' then redis.call('HSET', wallet, 't', time) end
  end
end
local standings, changed = {}, false
for at = 2, #ARGV, EACH do
  local block, index = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local isNew = block > seenBlock or (block == seenBlock and index > seenIndex)
  if isNew then
    apply(block, ARGV[at + 2], tonumber(ARGV[at + 3]), ARGV[at + 4], ARGV[at + 5], tonumber(ARGV[at + 6]))
    seenBlock, seenIndex, changed = block, index, true
  end
  standings[#standings + 1] = isNew and '1' or '0'
  standings[#standings + 1] = whole(available - reserved)
  standings[#standings + 1] = whole(available + locked)
end
if changed then
  redis.call('HSET', wallet, 'a', whole(available), 'k', whole(locked), 'r', whole(reserved),
    'b', whole(seenBlock), 'i', whole(seenIndex))
end
return standings
