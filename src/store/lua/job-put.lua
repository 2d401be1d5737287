-- ARGV, five for each job: id  version (6 bytes)  status  model id  packed rest
-- A job is in the list of its newest version and in no other.
local numbers = {}
local function modelNumber(model)
  local number = numbers[model] or redis.call('HGET', KEYS[1], model)
  if not number then
    number = tostring(redis.call('HLEN', KEYS[1]) + 1)
    redis.call('HSET', KEYS[1], model, number)
  end
  numbers[model] = number
  return number
end

-- Whether the version is new; what it replaces is gone then.
local function isNewest(id, version, number)
  local member, status = find(number, id)
  if not member then return true end
  -- As numbers: Lua compares strings by the locale.
  if struct.unpack('>I6', member, ID_BYTES + 1) >= struct.unpack('>I6', version) then return false end
  redis.call('ZREM', list(status, number), member)
  return true
end

for i = 1, #ARGV, 5 do
  local id, version, status, model, rest = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  local number = modelNumber(model)
  if isNewest(id, version, number) then
    redis.call('ZADD', list(tonumber(status), number), 0, id .. version .. rest)
  end
end
