-- KEYS[3] v:{wallet}  the latest voucher
-- ARGV[2] request id. What was set aside for a later request stays. Where the voucher is not kept any more,
-- nobody else would end what is still set aside for it.
local latest = redis.call('HGET', KEYS[3], 'i')
if latest and latest ~= ARGV[2] then return 0 end
if known() then endAside() end
return 1
