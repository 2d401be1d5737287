-- KEYS[3] v:{wallet}  the latest voucher
-- KEYS[4] vouchers    as in set-aside.lua
-- ARGV[2] request id  [3] entry of 'vouchers'. What was set aside for a later request stays. Where the voucher is
-- not kept any more, nobody else would end what is still set aside for it.
local latest = redis.call('HGET', KEYS[3], 'i')
if (not latest or latest == ARGV[2]) and known() then endAside() end
redis.call('ZREM', KEYS[4], ARGV[3])
return 1
