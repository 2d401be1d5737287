-- ARGV[2] id
-- returns {'incomplete'} | {'job', member, status, model} | {'job'}
if not isComplete then return { 'incomplete' } end
return { 'job', lookUp(ARGV[2]) }
