-- ARGV[2] job id. Only a reservation is given back here; a lock returns by the chain's own log.
local kind, credits = hold(ARGV[2])
if known() and kind == 'r' then
  redis.call('HDEL', holds, ARGV[2])
  add('r', -credits)
end
return 1
