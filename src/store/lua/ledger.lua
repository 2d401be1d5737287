-- One wallet's ledger. Every script starts with these lines.
-- KEYS[1] w:{wallet}  hash: a available on chain, k locked on chain, r reserved, b and i the chain
--                     position (block, log index) up to which it is true, t last top-up (ms),
--                     g generation
-- KEYS[2] h:{wallet}  hash: job id → r<credits> reserved, or l<credits> locked on chain;
--                     'withdrawal' → r<credits> set aside for a voucher whose nonce was read after
--                     block 'withdrawal_after'; 'returning' → '<job id> <credits> …' on their way back
-- ARGV[1] generation: which life of this Redis the caller speaks to. A wallet written in an earlier
--         life may lack its last writes (a lost tail), so it counts as unknown.
local WITHDRAWAL, WITHDRAWAL_AFTER, RETURNING = 'withdrawal', 'withdrawal_after', 'returning'
-- More than any request costs: who has so much waits for nothing to come back.
local PLENTY = 10000
local wallet, holds, generation = KEYS[1], KEYS[2], ARGV[1]

-- Never '-0', which is no whole number to Redis.
local function whole(number) return string.format('%.0f', number + 0) end
local function field(name) return tonumber(redis.call('HGET', wallet, name) or '0') end
local function known()
  local found = redis.call('HMGET', wallet, 'a', 'k', 'g')
  return found[1] and found[2] and found[3] == generation
end
local function remaining() return field('a') - field('r') end
-- Kind ('r', 'l') and credits of what is set aside for a job.
local function hold(job)
  local found = redis.call('HGET', holds, job)
  if not found then return nil, 0 end
  return string.sub(found, 1, 1), tonumber(string.sub(found, 2))
end
local function add(name, number)
  redis.call('HINCRBY', wallet, name, whole(number))
end
-- Credits on their way back, of jobs that have ended and whose end the chain has not told yet, and how they
-- are written. A job that holds nothing any more has been told of. Of very many the newest count: each step looks at
-- all of them, and every wallet waits for it.
local RETURNING_MOST = 100
local function returning(except)
  local jobs, notes = {}, {}
  local noted = redis.call('HGET', holds, RETURNING)
  for job, credits in string.gmatch(noted or '', '(%S+) (%d+)') do
    jobs[#jobs + 1] = job
    notes[#notes + 1] = credits
  end
  local sum, kept = 0, {}
  for at = math.max(1, #jobs - RETURNING_MOST + 1), #jobs do
    local job, credits = jobs[at], notes[at]
    if job ~= except and hold(job) then
      sum = sum + tonumber(credits)
      kept[#kept + 1] = job .. ' ' .. credits
    end
  end
  return sum, kept
end
local function noteReturning(job, credits)
  local _, kept = returning(job)
  if credits > 0 then kept[#kept + 1] = job .. ' ' .. whole(credits) end
  if #kept > 0 then redis.call('HSET', holds, RETURNING, table.concat(kept, ' '))
  else redis.call('HDEL', holds, RETURNING) end
end
local function endAside()
  local _, credits = hold(WITHDRAWAL)
  redis.call('HDEL', holds, WITHDRAWAL, WITHDRAWAL_AFTER)
  add('r', -credits)
end
