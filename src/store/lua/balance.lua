-- returns {remaining, on its way back, last top-up} or {} for an unknown wallet
if not known() then return {} end
return { whole(remaining()), whole((returning())), redis.call('HGET', wallet, 't') or '' }
