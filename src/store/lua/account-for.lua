-- ARGV[2] job id  [3] credits charged. The job has ended, or is about to: while its credits are set aside,
-- the rest of them is on its way back; once its settlement is applied they are counted already.
-- returns {remaining then} or {} for an unknown wallet
if not known() then return {} end
local kind, credits = hold(ARGV[2])
if not kind then return { whole(remaining()) } end
local back = credits - tonumber(ARGV[3])
if remaining() < PLENTY then noteReturning(ARGV[2], back) end
return { whole(remaining() + back) }
