-- Takes a lock, or stands in its queue.
--
-- KEYS   the lock, its fence, its queue
-- ARGV   instance id, owner id, ttl in ms, whether to queue (1 or 0), how long to remember the
--        fence in ms, prefix of the instances' channels, the application's name for the key, how
--        many fencing tokens to reserve
-- Reply  {1, first fencing token, last one, how many others wait}: the owner id holds it now
--        {0, remaining ms (-1: does not expire), holder (nil: reserved)}: somebody else does
--        an error: the owner id does not hold it
local lock, fence, queue = KEYS[1], KEYS[2], KEYS[3]
local instance, owner, ttl, enqueue, retention, channels, key, tokens = unpack(ARGV)
-- First of all, as it may be denied when nothing is done yet.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- Returns the last token before, false, or an error. A fence that is ahead of the clock is
-- remembered until the clock has caught up.
local function reserve_tokens(first)
	local last = first + tokens - 1
	local expiry = math.max(retention, math.ceil((last - now) / 1000) + 1000)
	return redis.pcall('SET', fence, string.format('%.0f', last), 'PX', string.format('%.0f', expiry), 'GET')
end

local function leave_queue()
	local waiting = redis.pcall('ZCARD', queue)
	if type(waiting) ~= 'number' or waiting == 0 then
		return 0
	end
	return redis.pcall('ZREM', queue, instance) == 1 and waiting - 1 or waiting
end

-- Gives the lock back if it cannot have tokens.
local function acquired()
	local first = now
	local last = reserve_tokens(first)
	if type(last) == 'string' and (tonumber(last) or 0) >= first then
		first = tonumber(last) + 1
		last = reserve_tokens(first)
	end
	if type(last) == 'table' then
		redis.call('DEL', lock)
		return last
	end
	return {1, first, first + tokens - 1, leave_queue()}
end

if redis.call('SET', lock, owner, 'NX', 'PX', ttl) then
	return acquired()
end
local holder = redis.call('GET', lock)
if holder == owner or holder == '!' .. instance then
	redis.call('SET', lock, owner, 'PX', ttl)
	return acquired()
end

local reserved = holder:sub(1, 1) == '!'
if enqueue == '1' then
	if redis.call('ZADD', queue, 'NX', string.format('%.0f', now), instance) == 1 then
		redis.call('PEXPIRE', queue, 600000)
	end
	local holding = not reserved and holder:match('^(.*):')
	if holding then
		redis.pcall('PUBLISH', channels .. holding, 'c' .. key)
	end
end
return {0, redis.call('PTTL', lock), not reserved and holder}
