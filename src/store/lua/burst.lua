-- Token buckets of callers' addresses. Time is this server's, so that edges need not agree on it.
-- KEYS b:{burst}:<address>  '<tokens> <ms at which that was true>'; absent: full
-- ARGV[1] requests a second  [2] burst  [3...] requests consumed, one a key
-- returns what each bucket holds now
local perMs, burst = tonumber(ARGV[1]) / 1000, tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('MGET', unpack(KEYS))
local left = {}
for i, key in ipairs(KEYS) do
  local tokens, at = string.match(held[i] or '', '^(%S+) (%S+)$')
  tokens = tokens and tokens + math.max(0, now - at) * perMs or burst
  -- What edges gave away between two settlings is paid back, but never more than one burst of it.
  tokens = math.max(-burst, math.min(burst, tokens) - ARGV[i + 2])
  -- Once it is full again it need not be remembered.
  local fullAfter = math.ceil((burst - tokens) / perMs) + 1
  redis.call('SET', key, string.format('%.3f %.0f', tokens, now), 'PX', fullAfter)
  left[i] = string.format('%.3f', tokens)
end
return left
