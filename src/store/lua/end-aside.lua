-- KEYS[3] v:{wallet}  the latest voucher
-- ARGV[2] request id. What was set aside for a later request stays.
if redis.call('HGET', KEYS[3], 'i') ~= ARGV[2] then return 0 end
if known() then endAside() end
return 1
