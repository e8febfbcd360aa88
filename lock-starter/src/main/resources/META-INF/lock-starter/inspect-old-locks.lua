-- Adds to what is known of a lock who has the old one that is held with it, see old-locks.lua. Second part of a script,
-- see inspect.lua, whose value and reply it uses.
--
-- KEYS   after those of inspect.lua, the old lock; and what was written there with ours
-- ARGV   after those of inspect.lua, what the old lock is: a "string" or a "hash" that names its holder, or how many
--        ms the time is in that it holds
-- Reply  after that of inspect.lua, if somebody else has the old lock, its holder (empty if it names none) and its
--        remaining ms
local old, note, kind = KEYS[4], KEYS[5], ARGV[2]

-- What is no lock of that kind is nobody's: who acquires is told of it.
local function read(command, key)
	local found = redis.pcall(command, key)
	return not (type(found) == 'table' and found.err) and found
end

if kind == 'string' or kind == 'hash' then
	local holder
	if kind == 'string' then
		holder = read('GET', old)
	else
		holder = (read('HKEYS', old) or {})[1]
	end
	if holder and holder ~= value:gsub('[*~]$', '') then
		reply[5], reply[6] = holder, redis.call('PTTL', old)
	end
else
	local time = read('GET', old)
	local written = (read('GET', note) or ''):match('^%d+')
	local clock = redis.call('TIME')
	-- others may have clocks that differ by 5 s
	local remaining = (tonumber(time or 0) or 0) * kind + 5000 - clock[1] * 1000 - math.floor(clock[2] / 1000)
	if time and time ~= written and remaining > 0 then
		reply[5], reply[6] = '', math.floor(remaining)
	end
end
