-- returns {remaining, last top-up} or {} for an unknown wallet
if not known() then return {} end
return { whole(remaining()), redis.call('HGET', wallet, 't') or '' }
