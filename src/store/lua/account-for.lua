-- ARGV[2] job id  [3] credits charged. While the job's credits are set aside, the rest of them is on
-- its way back; once its settlement is applied they are counted already.
-- returns {remaining} or {} for an unknown wallet
if not known() then return {} end
local kind, credits = hold(ARGV[2])
if kind then return { whole(remaining() + credits - tonumber(ARGV[3])) } end
return { whole(remaining()) }
