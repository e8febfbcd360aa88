-- Reads all that is known of a lock, in one step.
--
-- KEYS   the lock; its queue; the fence; if a lock of another library is held with it (see old-locks.lua),
--        that one, and what was written there with ours
-- ARGV   how many instances of the queue to return; if there is an old lock, what it is: a "string" or a "hash"
--        that names its holder, or how many ms the time is in that it holds
-- Reply  what the lock holds (see lock.lua; empty if it is free); its remaining ms (-1: does not expire);
--        what the fence holds; the instances in the queue, each followed by the server's time in µs when it came;
--        if somebody else has the old lock, its holder (empty if it names none) and its remaining ms
local lock, queue, fence, old, note = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local most, kind = tonumber(ARGV[1]), ARGV[2]
local value = redis.call('GET', lock) or ''
local reply = {
	value,
	redis.call('PTTL', lock),
	redis.call('GET', fence) or '',
	redis.call('ZRANGE', queue, 0, most - 1, 'WITHSCORES')
}

-- What is no lock of that kind is nobody's: who acquires is told of it.
local function read(command, key)
	local found = redis.pcall(command, key)
	return not (type(found) == 'table' and found.err) and found
end

if not old then
	return reply
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
return reply
