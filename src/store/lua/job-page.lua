-- ARGV[2] how many jobs at most  [3] before or ''  [4] after or ''  [5] status or ''
-- ARGV[6] model id or ''
-- returns {'incomplete'} | {'unknown_cursor', 'before' | 'after'}
--       | {'page', '1' | '0': the model was seen, member, status, model, member, …}
-- in the order of paging: with `after` alone oldest first, else newest first
if not isComplete then return { 'incomplete' } end
local most, before, after = tonumber(ARGV[2]), ARGV[3], ARGV[4]
if before ~= '' and not lookUp(before) then return { 'unknown_cursor', 'before' } end
if after ~= '' and not lookUp(after) then return { 'unknown_cursor', 'after' } end

local upwards = after ~= '' and before == ''
local floor = after == '' and '-' or '(' .. after .. '\255'
local ceiling = before == '' and '+' or '(' .. before
-- The page so far, in order: {member, status, model id, and two numbers that order as the id does}.
local page = {}

-- Never as strings, which Lua compares by the locale: the first bytes as numbers, as they tell most
-- ids apart, then byte by byte.
local function entry(member, status, name)
  local high, low = struct.unpack('>I6I6', member)
  return { member, status, name, high, low }
end
local function comesFirst(a, b)
  if a[4] ~= b[4] then return (a[4] < b[4]) == upwards end
  if a[5] ~= b[5] then return (a[5] < b[5]) == upwards end
  for i = 13, ID_BYTES do
    local x, y = string.byte(a[1], i), string.byte(b[1], i)
    if x ~= y then return (x < y) == upwards end
  end
  return true
end

-- What a list can add to the page: nothing past the last job of a page that is full.
local function candidates(key)
  local last = page[most] and '(' .. page[most][1]
  if upwards then
    return redis.call('ZRANGEBYLEX', key, floor, last or '+', 'LIMIT', 0, most)
  end
  return redis.call('ZREVRANGEBYLEX', key, ceiling, last or floor, 'LIMIT', 0, most)
end

local function placeOf(new)
  local from, to = 1, #page + 1
  if to > 1 and comesFirst(page[to - 1], new) then return to end
  while from < to do
    local middle = math.floor((from + to) / 2)
    if comesFirst(page[middle], new) then from = middle + 1 else to = middle end
  end
  return from
end

local function take(members, status, name)
  for _, member in ipairs(members) do
    local new = entry(member, status, name)
    local place = placeOf(new)
    if place > most then return end
    table.insert(page, place, new)
    page[most + 1] = nil
  end
end

local seen = '0'
for m = 1, #models, 2 do
  local name, number = models[m], models[m + 1]
  if ARGV[6] == '' or ARGV[6] == name then
    seen = '1'
    for _, status in ipairs(STATUSES) do
      if ARGV[5] == '' or tonumber(ARGV[5]) == status then
        take(candidates(list(status, number)), status, name)
      end
    end
  end
end

local reply = { 'page', seen }
for _, job in ipairs(page) do
  for part = 1, 3 do reply[#reply + 1] = job[part] end
end
return reply
